package dev.wheelhouse.apiserver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.Logged;
import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The server with TLS, and how it authenticates clients. */
@Isolated
class SecureApiServerTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    @TempDir
    private Path directory;

    private final ServerKeys keys = ServerKeys.inMemory();
    private final OwnAuthority authority = OwnAuthority.of(keys, Instant.now());
    private final ServingCertificate certificate = authority.serving(List.of(), Instant.now());
    private @Nullable ApiServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private ApiServer start(ApiServerOptions options) {
        ApiServer started = new ApiServer(options).start();
        server = started;
        return started;
    }

    private ApiServerOptions secured(AuthorizationMode mode) {
        return ApiServerOptions.defaults().withTls(new ApiServerOptions.Tls(certificate, null))
                .withSecurity(Security.of(mode, Map.of(), keys));
    }

    /** A client that trusts the server. @param own its certificate and key; null if it has none */
    private HttpClient client(@Nullable KeyStore own) throws Exception {
        return HttpClient.newBuilder().sslContext(context(certificate, own)).version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    private static SSLContext context(ServingCertificate certificate, @Nullable KeyStore own) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(
                new ByteArrayInputStream(certificate.trusted().getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManagerFactory key = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        key.init(own, ServingCertificate.PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(key.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private HttpResponse<String> get(HttpClient client, String path, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .timeout(Duration.ofMinutes(2));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void withRolesAnonymousIsForbiddenAnUnknownTokenUnauthorizedAndTheAdministratorServed() throws Exception {
        ApiServer started = start(secured(AuthorizationMode.RBAC));
        HttpClient client = client(null);

        assertThat(started.url()).startsWith("https://127.0.0.1:");
        assertThat(get(client, PODS, "").statusCode()).isEqualTo(403);
        assertThat(get(client, "/readyz", "").statusCode()).isEqualTo(200);
        HttpResponse<String> unknown = get(client, PODS, "wrong");
        assertThat(unknown.statusCode()).isEqualTo(401);
        assertThat(Json.text(Json.read(unknown.body()), "message")).isEqualTo("Unauthorized");
        assertThat(get(client, PODS, keys.adminToken()).statusCode()).isEqualTo(200);
    }

    @Test
    void whereEverybodyWhoIsKnownMayDoEverythingThereIsNoAnonymous() throws Exception {
        start(secured(AuthorizationMode.ALWAYS_ALLOW));
        HttpClient client = client(null);

        assertThat(get(client, PODS, "").statusCode()).isEqualTo(401);
        assertThat(get(client, "/readyz", "").statusCode()).isEqualTo(401);
        assertThat(get(client, PODS, keys.adminToken()).statusCode()).isEqualTo(200);
    }

    @Test
    void aClientThatDoesNotTrustTheAuthorityRefusesTheServer() {
        start(secured(AuthorizationMode.RBAC));
        HttpClient stranger = HttpClient.newHttpClient();
        assertThatThrownBy(() -> get(stranger, "/readyz", "")).isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void aClientsCertificateSaysWhoItIs() throws Exception {
        ClientCertificates clients = new ClientCertificates();
        Path authority = Files.writeString(directory.resolve("clients.crt"), clients.authority());
        start(ApiServerOptions.defaults().withSecurity(Security.of(AuthorizationMode.RBAC, Map.of(), keys))
                .withTls(new ApiServerOptions.Tls(certificate, ServingCertificate.certificates(authority))));

        assertThat(get(client(null), PODS, keys.adminToken()).statusCode()).isEqualTo(200);
        HttpResponse<String> named = get(client(clients.signed("CN=jane,O=readers")), PODS, "");
        assertThat(named.statusCode()).isEqualTo(403);
        assertThat(Json.text(Json.read(named.body()), "message")).contains("User \"jane\" cannot list");
        assertThat(get(client(clients.signed("CN=root,O=system:masters")), PODS, "").statusCode()).isEqualTo(200);
        HttpClient stranger = client(new ClientCertificates().signed("CN=root,O=system:masters"));
        assertThatThrownBy(() -> get(stranger, PODS, "")).isInstanceOf(IOException.class);
    }

    @Test
    void theKubeconfigHoldsAddressAuthorityAndToken() {
        String kubeconfig = start(secured(AuthorizationMode.RBAC)).kubeconfig();

        assertThat(kubeconfig).contains("server: https://127.0.0.1:", "certificate-authority-data: ",
                "token: \"" + keys.adminToken() + "\"");
    }

    @Test
    void beyondLoopbackItStartsWithTlsAndCredentialsAlone() throws Exception {
        assertThatThrownBy(() -> new ApiServer(ApiServerOptions.defaults().withAddress("0.0.0.0")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("0.0.0.0")
                .hasMessageContaining("without TLS");
        assertThatThrownBy(() -> new ApiServer(secured(AuthorizationMode.RBAC).withSecurity(Security.none())
                .withAddress("0.0.0.0"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without credentials");

        start(secured(AuthorizationMode.RBAC).withAddress("0.0.0.0"));
        assertThat(get(client(null), PODS, keys.adminToken()).statusCode()).isEqualTo(200);
    }

    @Test
    void secretsAreKeptForTheirOwnerAndOutliveARestart() throws Exception {
        ServerKeys first = ServerKeys.inDirectory(directory.resolve("pki"));
        String token = first.adminToken();
        String authority = OwnAuthority.of(first, Instant.now()).serving(List.of(), Instant.now()).trusted();
        first.signingKeys();

        ServerKeys second = ServerKeys.inDirectory(directory.resolve("pki"));
        assertThat(second.adminToken()).isEqualTo(token);
        assertThat(OwnAuthority.of(second, Instant.now()).serving(List.of(), Instant.now()).trusted())
                .isEqualTo(authority);
        assertThat(second.signingKeys().getPublic()).isEqualTo(first.signingKeys().getPublic());
        for (String file : List.of("admin.token", "ca.key", "service-account.key")) {
            assertThat(Files.getPosixFilePermissions(directory.resolve("pki").resolve(file))).as(file)
                    .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        }
    }

    @Test
    void aCertificateOfFilesIsServedIfItsKeyBelongsToItAndItsNamesFit() throws Exception {
        Path cert = Files.writeString(directory.resolve("s.crt"), ClientCertificates.chain(certificate));
        Path key = Files.writeString(directory.resolve("s.key"), ClientCertificates.key(certificate));
        ServingCertificate given = ServingCertificate.ofFiles(cert, key);
        assertThat(given.isValidFor("127.0.0.1")).isTrue();
        assertThat(given.isValidFor("localhost")).isTrue();
        assertThat(given.isValidFor("0:0:0:0:0:0:0:1")).isTrue();
        assertThat(given.isValidFor("example.com")).isFalse();
        start(ApiServerOptions.defaults().withTls(new ApiServerOptions.Tls(given, null)));
        assertThat(get(client(null), PODS, "").statusCode()).isEqualTo(200);

        Path other = Files.writeString(directory.resolve("other.key"),
                ClientCertificates
                        .key(OwnAuthority.of(ServerKeys.inMemory(), Instant.now()).serving(List.of(), Instant.now())));
        assertThatThrownBy(() -> ServingCertificate.ofFiles(cert, other)).hasMessageContaining("other.key")
                .hasMessageContaining("s.crt");
        assertThatThrownBy(() -> ServingCertificate.ofFiles(key, key)).hasMessageContaining("s.key")
                .hasMessageContaining("a certificate");
    }

    private static X509Certificate served(SSLSocket connection) throws IOException {
        connection.startHandshake();
        return (X509Certificate) connection.getSession().getPeerCertificates()[0];
    }

    private static int answer(SSLSocket connection) throws IOException {
        connection.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
        byte[] line = connection.getInputStream().readNBytes(12);
        connection.getInputStream().read(new byte[8192]);
        return Integer.parseInt(new String(line, 9, 3, StandardCharsets.US_ASCII));
    }

    @Test
    void aCertificateIsRenewedWhileConnectionsGoOnBySameAuthority() throws Exception {
        ManualClock clock = new ManualClock();
        OwnAuthority steady = OwnAuthority.of(keys, clock.now());
        ServingCertificate first = steady.serving(List.of(), clock.now());
        ApiServer started = start(ApiServerOptions.defaults().withTls(new ApiServerOptions.Tls(first, null,
                now -> new ApiServerOptions.Tls(steady.renewed(now.certificate(), List::of, clock.now()), null,
                        now.renewal()))));
        SSLContext trusting = context(first, null);
        try (SSLSocket old = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", started.port())) {
            X509Certificate before = served(old);
            assertThat(answer(old)).isEqualTo(200);
            clock.advance(Duration.ofDays(250));

            started.renewTls();

            assertThat(answer(old)).as("a connection that was open").isEqualTo(200);
            try (SSLSocket fresh = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1",
                    started.port())) {
                assertThat(served(fresh).getNotAfter().toInstant()).isAfter(before.getNotAfter().toInstant());
                assertThat(answer(fresh)).isEqualTo(200);
            }
        }
    }

    @Test
    void filesOfCertificateKeyAndClientAuthoritiesAreReadAgainWhenTheyChangeAndKeptWhenTheyAreBroken()
            throws Exception {
        Path cert = Files.writeString(directory.resolve("s.crt"), ClientCertificates.chain(certificate));
        Path key = Files.writeString(directory.resolve("s.key"), ClientCertificates.key(certificate));
        ClientCertificates people = new ClientCertificates();
        ClientCertificates others = new ClientCertificates();
        Path trustedFile = Files.writeString(directory.resolve("clients.crt"), people.authority());
        ApiServer started = start(ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.ALWAYS_ALLOW, Map.of(), keys))
                .withTls(new ApiServerOptions.Tls(ServingCertificate.ofFiles(cert, key),
                        ServingCertificate.certificates(trustedFile),
                        now -> new ApiServerOptions.Tls(ServingCertificate.ofFiles(cert, key),
                                ServingCertificate.certificates(trustedFile), now.renewal()))));
        assertThat(get(client(people.signed("CN=jane")), PODS, "").statusCode()).isEqualTo(200);
        HttpClient stranger = client(others.signed("CN=joe"));
        assertThatThrownBy(() -> get(stranger, PODS, "")).isInstanceOf(IOException.class);

        Files.writeString(trustedFile, people.authority() + others.authority());
        started.renewTls();
        assertThat(get(client(others.signed("CN=joe")), PODS, "").statusCode()).isEqualTo(200);
        assertThat(get(client(people.signed("CN=jane")), PODS, "").statusCode()).isEqualTo(200);

        ServingCertificate next = authority.serving(List.of("other.example"), Instant.now());
        Files.writeString(cert, ClientCertificates.chain(next));
        try (Logged logged = Logged.by("dev.wheelhouse.apiserver.TlsRenewal")) {
            started.renewTls();
            started.renewTls();
            assertThat(logged.lines()).singleElement().asString().contains("keeps its old certificate")
                    .contains("s.key is not that of the certificate");
        }
        assertThat(get(client(null), PODS, keys.adminToken()).statusCode()).as("half of the pair").isEqualTo(200);

        Files.writeString(key, ClientCertificates.key(next));
        started.renewTls();
        try (SSLSocket fresh = (SSLSocket) context(certificate, null).getSocketFactory().createSocket("127.0.0.1",
                started.port())) {
            assertThat(served(fresh).getSubjectAlternativeNames().toString()).contains("other.example");
        }
    }

    /** An update of keys costs a server a derivation of keys, and a client 24 bytes. They end no read. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"", "GET /version HTTP/1.1\r\nHost: x\r\n", "GET /version HTTP/1.1\r\nHost: x\r\n"
            + "Content-Length: 2\r\n\r\n{"})
    void aStrangerWhoSendsUpdatesOfKeysInsteadOfARequestIsCutOff(String begun) throws Exception {
        ApiServer started = start(secured(AuthorizationMode.RBAC));
        try (SSLSocket stranger = (SSLSocket) context(certificate, null).getSocketFactory().createSocket("127.0.0.1",
                started.port())) {
            stranger.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));
            long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
            assertThatThrownBy(() -> {
                while (System.nanoTime() - end < 0) {
                    stranger.startHandshake();
                }
            }).as("the server has had enough").isInstanceOf(IOException.class);
        }
        assertThat(get(client(null), "/version", "").statusCode()).isEqualTo(200);
    }

    /** The handshake may have 16 KiB, and each byte of it is something that the client sends. */
    @Test
    void aHandshakeThatDribblesIsCutOffAtItsDeadline() throws Exception {
        ApiServer started = start(secured(AuthorizationMode.RBAC)
                .withLimits(TestLimits.withIo(Duration.ofSeconds(1), ApiServerLimits.standard())));
        try (RawHttp stranger = RawHttp.connect(started.port(), 1)) {
            stranger.send(new byte[]{22, 3, 1, 63, -1, 1, 0, 63, -5, 3, 3});
            Eventually.eventually("the connection is closed", Duration.ofSeconds(60), () -> {
                try {
                    stranger.send(new byte[]{7});
                    return stranger.socket().getInputStream().read() < 0;
                } catch (SocketTimeoutException e) {
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }
}
