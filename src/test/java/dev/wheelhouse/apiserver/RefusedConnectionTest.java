package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A kubeconfig that does not fit the server leads to one sentence with its file, its field and the remedy. */
@Isolated
class RefusedConnectionTest {
    private static final String ALL = """
            current-context: here
            contexts:
            - {name: here, context: {cluster: c, user: u}}
            - {name: nobody, context: {cluster: c}}
            clusters: [{name: c, cluster: {CLUSTER}}]
            users: [{name: u, user: {USER}}]
            """;

    @TempDir
    static Path dir;

    private static Map<String, String> values = Map.of();
    private static ApiServer server;

    @BeforeAll
    static void start() throws Exception {
        ServerKeys keys = ServerKeys.inMemory();
        OwnAuthority authority = OwnAuthority.of(keys, Instant.now());
        ServingCertificate certificate = authority.serving(List.of(), Instant.now());
        ClientCertificates clients = new ClientCertificates();
        Path trusted = Files.writeString(dir.resolve("clients.crt"), clients.authority());
        server = new ApiServer(ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.ALWAYS_ALLOW, Map.of(), keys))
                .withTls(new ApiServerOptions.Tls(certificate, ServingCertificate.certificates(trusted)))).start();
        String[] old = clients.pair("CN=jane", Instant.now().minus(Duration.ofDays(9)));
        String[] strange = new ClientCertificates().pair("CN=jane", Instant.now());
        values = Map.of("URL", server.url(), "CA", base64(certificate.trusted()), "OTHER",
                base64(new ClientCertificates().authority()), "OLD", pair(old), "STRANGE", pair(strange), "GOOD",
                keys.adminToken(), "JWT", "e30." + base64("{\"exp\":1700000000}").replace("=", "") + ".c2ln");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String pair(String[] pem) {
        return "client-certificate-data: " + base64(pem[0]) + ", client-key-data: " + base64(pem[1]);
    }

    private static Path kubeconfig(String cluster, String user) throws IOException {
        String text = ALL.replace("CLUSTER", cluster)
                .replace("<S>", "server: '<URL>', certificate-authority-data: <CA>").replace("USER", user);
        for (Map.Entry<String, String> value : values.entrySet()) {
            text = text.replace("<" + value.getKey() + ">", value.getValue());
        }
        return Files.writeString(dir.resolve("config"), text);
    }

    private static void ask(Path kubeconfig, String context) {
        Clock clock = Clock.system();
        try (HttpKubeClient client = new HttpKubeClient(new KubeConfigs(clock).fromFile(kubeconfig, context).api(),
                clock)) {
            client.discover();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    <S> | token: wrong | here \
                        | field token of the user "u" is not accepted by the server (401); get a new one for \
                    this server
                    <S> | token: <JWT> | here \
                        | field token of the user "u" has a token that expired at 2023-11-14T22:13:20Z; get a \
                    new one
                    <S> | '' | here \
                        | field token of the user "u" is not set, and the server wants credentials (401); set it
                    <S> | token: <GOOD> | nobody \
                        | field user of the context "nobody" is not set, and the server wants credentials (401); \
                    set it
                    <S> | username: a, password: b | here \
                        | field username of the user "u" is not accepted by the server (401)
                    """)
    void unauthorizedIsSaidOnce(String cluster, String user, String context, String sentence) throws IOException {
        Path file = kubeconfig(cluster, user);
        try (Logged log = Logged.by("dev.wheelhouse.client.http.RotatingTls")) {
            assertThatThrownBy(() -> ask(file, context)).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("401");
            assertThat(log.lines()).filteredOn(line -> line.startsWith("WARN " + server.url())).singleElement()
                    .asString().contains("the kubeconfig " + file + ": " + sentence);
        }
    }

    private static String refusal(Path file) {
        try {
            ask(file, "here");
            return "";
        } catch (KubeApiException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    server: '<URL>', certificate-authority-data: <OTHER> | token: <GOOD> \
                        | field certificate-authority-data of the cluster "c" has no authority that signed the \
                    server's certificate; replace it by the certificate authority of the cluster
                    server: '<URL>' | token: <GOOD> \
                        | field certificate-authority of the cluster "c" is not set, and this machine trusts \
                    nobody who signed the server's certificate; set it
                    <S> | <OLD> \
                        | field client-certificate-data of the user "u" has a certificate that expired at
                    <S> | <STRANGE> \
                        | field client-certificate-data of the user "u" is not accepted by the server
                    <S>, tls-server-name: elsewhere | token: <GOOD> \
                        | field server of the cluster "c" has a host that the server's certificate is not for; \
                    use a name of the certificate
                    """)
    void aHandshakeThatFailsNamesTheField(String cluster, String user, String sentence) throws IOException {
        Path file = kubeconfig(cluster, user);
        try (Logged log = Logged.by("dev.wheelhouse.client.http.ServerOutage")) {
            // The server may close the connection before the client has read why: then another one is needed.
            Eventually.eventually("the sentence is " + sentence, Duration.ofSeconds(30),
                    () -> refusal(file).contains("the kubeconfig " + file + ": " + sentence));
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("WARN " + server.url()) && line.contains(sentence));
        }
    }

    @Test
    void aServerWithoutTlsIsNamed() throws IOException {
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answers = Thread.ofVirtual().start(() -> {
                try (Socket one = plain.accept()) {
                    one.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    one.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // The test is over.
                }
            });
            Path file = kubeconfig("server: 'https://127.0.0.1:" + plain.getLocalPort() + "'", "token: a");
            assertThatThrownBy(() -> ask(file, "here")).hasMessageContaining(
                    "field server of the cluster \"c\" begins with https, but the server speaks no TLS");
            answers.interrupt();
        }
    }

    @Test
    void theRightKubeconfigSaysNothing() throws IOException {
        try (Logged log = Logged.by("dev.wheelhouse.client.http")) {
            ask(kubeconfig("server: '<URL>', certificate-authority-data: <CA>", "token: <GOOD>"), "here");
            assertThat(log.lines()).noneMatch(line -> line.contains(server.url()));
        }
    }
}
