package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Certificates of a kubeconfig, against a server that wants to see them. */
class TlsConnectionTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    /** A client, which is the server, too. */
    private static KeyStore own;
    /** A second client, which the server trusts as well. */
    private static KeyStore next;

    @TempDir
    Path dir;

    private HttpsServer server = HttpsServer.create();
    private String certificate = "";
    private String key = "";
    private String nextCertificate = "";
    private String nextKey = "";
    /** The name of a client to which the server answers 401. */
    private volatile String refused = "";
    private final ManualClock clock = new ManualClock();
    /** Whether each certificate that a plugin gave took the place of another one. */
    private final List<Boolean> replacements = new ArrayList<>();
    /** The runs of plugins. */
    private final List<String> runs = new CopyOnWriteArrayList<>();
    private final List<String> reads = new ArrayList<>();
    private final HttpMetrics metrics = new HttpMetrics() {
        @Override
        public void pluginCalled(int exitCode, String status) {
            runs.add(status);
        }

        @Override
        public void pluginCertificate(Instant expires, @Nullable Instant lastBegan) {
            replacements.add(lastBegan != null);
        }

        @Override
        public void authorityRead(String result, String reason) {
            reads.add(result + " " + reason);
        }
    };

    TlsConnectionTest() throws IOException {}

    @BeforeAll
    static void make(@TempDir Path directory) throws Exception {
        own = selfSigned(directory, "CN=operator");
        next = selfSigned(directory, "CN=next");
    }

    @BeforeEach
    void start() throws Exception {
        certificate = pem("CERTIFICATE", own.getCertificate("me").getEncoded());
        key = pem("PRIVATE KEY", own.getKey("me", PASSWORD).getEncoded());
        nextCertificate = pem("CERTIFICATE", next.getCertificate("me").getEncoded());
        nextKey = pem("PRIVATE KEY", next.getKey("me", PASSWORD).getEncoded());

        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("me", own.getCertificate("me"));
        trusted.setCertificateEntry("next", next.getCertificate("me"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);

        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = context.getDefaultSSLParameters();
                tls.setNeedClientAuth(true);
                parameters.setSSLParameters(tls);
            }
        });
        server.createContext("/", exchange -> {
            String who = ((HttpsExchange) exchange).getSSLSession().getPeerPrincipal().getName();
            byte[] body = ("{\"metadata\":{\"name\":\"a\",\"annotations\":{\"who\":\"" + who + "\"}}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(who.equals(refused) ? 401 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static KeyStore selfSigned(Path directory, String name) throws Exception {
        Path store = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "me", "-keyalg", "EC", "-dname", name, "-ext", "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12", "-keystore", store.toString(), "-storepass", new String(PASSWORD)).redirectErrorStream(true)
                .start();
        assertThat(keytool.waitFor(2, TimeUnit.MINUTES)).isTrue();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        Files.delete(store);
        return keys;
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(der)
                + "\n-----END " + what + "-----\n";
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private ApiClient api(String cluster, String user) throws IOException {
        return connection(cluster, user).api();
    }

    private KubeConfigs.Connection connection(String cluster, String user) throws IOException {
        Path file = Files.writeString(dir.resolve("config"), """
                current-context: tls
                contexts: [{name: tls, context: {cluster: tls, user: me}}]
                clusters: [{name: tls, cluster: {server: "https://127.0.0.1:%d"%s}}]
                users: [{name: me, user: {%s}}]
                """.formatted(server.getAddress().getPort(), cluster, user));
        return new KubeConfigs(Map.of(), dir, dir, clock, metrics).resolve(file, null);
    }

    private V1ConfigMap ask(String cluster, String user) throws IOException {
        try (HttpKubeClient client = new HttpKubeClient(api(cluster, user), Clock.system())) {
            return ask(client);
        }
    }

    private static V1ConfigMap ask(HttpKubeClient client) {
        return client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(ObjectKey.of("default", "a"));
    }

    private static String who(HttpKubeClient client) {
        return ask(client).getMetadata().getAnnotations().get("who");
    }

    @Test
    void certificatesInTheFileAreUsed() throws Exception {
        V1ConfigMap answer = ask(", certificate-authority-data: " + base64(certificate),
                "client-certificate-data: " + base64(certificate) + ", client-key-data: " + base64(key));
        assertThat(answer.getMetadata().getAnnotations()).containsEntry("who", "CN=operator");
    }

    @Test
    void aClientWithoutCredentialsTrustsTheServerAndHasNoCertificate() throws Exception {
        ApiClient anonymous = connection(", certificate-authority-data: " + base64(certificate),
                "client-certificate-data: " + base64(certificate) + ", client-key-data: " + base64(key)).anonymous()
                .get();
        try (HttpKubeClient client = new HttpKubeClient(anonymous, Clock.system())) {
            // The server closes the connection after the handshake; the client may be writing its request by then.
            assertThatThrownBy(() -> ask(client)).as("the server's answer").isInstanceOf(KubeApiException.class)
                    .hasMessageMatching("(?s).*(fatal alert|Broken pipe|Connection reset|closed).*");
        }
    }

    @Test
    void certificatesInFilesBesideItAreUsed() throws Exception {
        Files.writeString(dir.resolve("me.crt"), certificate);
        Files.writeString(dir.resolve("me.key"), key);
        V1ConfigMap answer = ask(", certificate-authority: me.crt", "client-certificate: me.crt, client-key: me.key");
        assertThat(answer.getMetadata().getAnnotations()).containsEntry("who", "CN=operator");
    }

    @Test
    void aClientCertificateIsReadAgainAfterAMinuteAndAtOnceAfterA401() throws Exception {
        Files.writeString(dir.resolve("me.crt"), certificate);
        Files.writeString(dir.resolve("me.key"), key);
        try (HttpKubeClient client = new HttpKubeClient(api(", certificate-authority-data: " + base64(certificate),
                "client-certificate: me.crt, client-key: me.key"), Clock.system())) {
            assertThat(who(client)).isEqualTo("CN=operator");

            Files.writeString(dir.resolve("me.crt"), nextCertificate);
            Files.writeString(dir.resolve("me.key"), nextKey);
            clock.advance(Duration.ofSeconds(59));
            assertThat(who(client)).isEqualTo("CN=operator");
            clock.advance(Duration.ofSeconds(1));
            assertThat(who(client)).isEqualTo("CN=next");

            Files.writeString(dir.resolve("me.crt"), certificate);
            Files.writeString(dir.resolve("me.key"), key);
            assertThat(who(client)).isEqualTo("CN=next");
            refused = "CN=next";
            assertThat(who(client)).isEqualTo("CN=operator");
            refused = "CN=operator";
            assertThatThrownBy(() -> ask(client)).as("a 401 for certificates that have not changed")
                    .isInstanceOf(KubeApiException.class).hasMessageContaining("401");
        }
    }

    @Test
    void anAuthorityIsReadAgainWhenAHandshakeFailsAndTheOldOneStaysWhileThereIsNone() throws Exception {
        Path authority = Files.writeString(dir.resolve("ca.crt"), nextCertificate);
        try (HttpKubeClient client = new HttpKubeClient(api(", certificate-authority: ca.crt",
                "client-certificate-data: " + base64(certificate) + ", client-key-data: " + base64(key)),
                Clock.system())) {
            assertThatThrownBy(() -> ask(client)).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("SSLHandshake");
            Files.writeString(authority, certificate);
            assertThat(who(client)).isEqualTo("CN=operator");
            Files.delete(authority);
            clock.advance(Duration.ofMinutes(2));
            assertThat(who(client)).isEqualTo("CN=operator");
        }
    }

    @Test
    void eachLaterReadOfTheAuthoritiesIsCountedAndTheOldOnesStayAfterAFailure() throws Exception {
        Path authority = Files.writeString(dir.resolve("ca.crt"), certificate);
        try (HttpKubeClient client = new HttpKubeClient(api(", certificate-authority: ca.crt",
                "client-certificate-data: " + base64(certificate) + ", client-key-data: " + base64(key)),
                Clock.system())) {
            assertThat(who(client)).isEqualTo("CN=operator");
            assertThat(reads).as("the first one").isEmpty();
            for (String content : List.of(certificate, nextCertificate + certificate, "", "-----BEGIN NONSENSE")) {
                Files.writeString(authority, content);
                clock.advance(Duration.ofMinutes(2));
                assertThat(who(client)).isEqualTo("CN=operator");
            }
            Files.delete(authority);
            clock.advance(Duration.ofMinutes(2));
            assertThat(who(client)).isEqualTo("CN=operator");
        }
        assertThat(reads).containsExactly("success unchanged", "success updated", "failure empty",
                "failure ca_parse_error", "failure read_error");
    }

    @Test
    void aPluginsCertificateIsUsedAndThePluginRunsAgainAfterA401() throws Exception {
        Files.writeString(dir.resolve("credential"), credential(certificate, key));
        String plugin = "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
                + "command: cat, args: [\""
                + dir.resolve("credential") + "\"]}";
        try (HttpKubeClient client = new HttpKubeClient(
                api(", certificate-authority-data: " + base64(certificate), plugin), Clock.system())) {
            assertThat(who(client)).isEqualTo("CN=operator");
            Files.writeString(dir.resolve("credential"), credential(nextCertificate, nextKey));
            assertThat(who(client)).isEqualTo("CN=operator");
            refused = "CN=operator";
            assertThat(runs).hasSize(1);
            assertThat(who(client)).isEqualTo("CN=next");
            assertThat(runs).hasSize(2);
            refused = "CN=next";
            assertThatThrownBy(() -> ask(client)).isInstanceOf(KubeApiException.class).hasMessageContaining("401");
            assertThat(runs).as("one run for each 401").hasSize(3);
        }
        assertThat(replacements).containsExactly(false, true);
    }

    private static String credential(String certificate, String key) {
        return ModelJson
                .write(Map.of("kind", "ExecCredential", "apiVersion", "client.authentication.k8s.io/v1", "status",
                        Map.of("clientCertificateData", certificate, "clientKeyData", key)));
    }

    @Test
    void aServerThatCannotBeTrustedIsNotTalkedToUnlessToldSo() throws Exception {
        String user = "client-certificate-data: " + base64(certificate) + ", client-key-data: " + base64(key);
        assertThatThrownBy(() -> ask("", user)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("SSLHandshakeException");
        assertThat(ask(", insecure-skip-tls-verify: true", user).getMetadata().getName()).isEqualTo("a");
    }

    @Test
    void theSocketBelowTlsIsKnown() throws IOException {
        ReadAheadSocket.Factory sockets = new ReadAheadSocket.Factory();
        List<ReadAheadSocket> found = new ArrayList<>();
        ApiClient api = api(", certificate-authority-data: " + base64(certificate),
                "client-certificate-data: " + base64(certificate) + ", client-key-data: " + base64(key));
        OkHttpClient client = api.getHttpClient().newBuilder().socketFactory(sockets).addNetworkInterceptor(chain -> {
            found.add(sockets.of(chain.connection()));
            return chain.proceed(chain.request());
        }).build();
        try (Response response = client.newCall(new Request.Builder().url(api.getBasePath()).build()).execute()) {
            assertThat(found).singleElement().isNotNull();
            assertThat(found.getFirst().isClosed()).isFalse();
        }
        client.connectionPool().evictAll();
        client.dispatcher().executorService().shutdown();
        assertThat(found.getFirst().isClosed()).isTrue();
    }
}
