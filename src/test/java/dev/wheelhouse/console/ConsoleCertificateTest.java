package dev.wheelhouse.console;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.ClientCertificates;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** The service's port over TLS, which asks for a client certificate. Each request makes a handshake. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class ConsoleCertificateTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final char[] PASSWORD = ServingCertificate.PASSWORD.toCharArray();

    @TempDir
    private static Path directory;

    private ClientCertificates people;
    private TestServer cluster;
    private RunningService service;

    @BeforeAll
    void start() throws Exception {
        people = new ClientCertificates();
        cluster = TestServer.start(ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.RBAC, Map.of(), ServerKeys.inMemory())), false, 0);
        create("ClusterRole", """
                {kind: ClusterRole, metadata: {name: crew},
                 rules: [{nonResourceURLs: [/console/*, /actuator/*], verbs: [get]}]}
                """);
        create("ClusterRoleBinding", """
                {kind: ClusterRoleBinding, metadata: {name: crew},
                 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: crew},
                 subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: crew}]}
                """);
        Path kubeconfig = Files.writeString(directory.resolve("cluster.kubeconfig"), cluster.server().kubeconfig());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("people", authority());
        service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig,
                "--wheelhouse.manage=takeover", "--wheelhouse.controllers=deployment",
                "--server.ssl.key-store=" + store("server", people.signed("CN=service")),
                "--server.ssl.key-store-password=" + ServingCertificate.PASSWORD,
                "--server.ssl.trust-store=" + store("people", trusted),
                "--server.ssl.trust-store-password=" + ServingCertificate.PASSWORD, "--server.ssl.client-auth=want");
    }

    @AfterAll
    void stop() {
        if (service != null) {
            service.close();
        }
        cluster.close();
    }

    private void create(String kind, String yaml) {
        ResourceType type = new ResourceType("rbac.authorization.k8s.io", "v1", kind.toLowerCase(Locale.ROOT) + "s",
                kind, false);
        cluster.client().resource(type, Unstructured.class).create(
                Yaml.read("{apiVersion: rbac.authorization.k8s.io/v1, " + yaml.strip().substring(1),
                        Unstructured.class));
    }

    private Certificate authority() throws Exception {
        return people.signed("CN=nobody").getCertificateChain("client")[1];
    }

    private static Path store(String name, KeyStore keys) throws Exception {
        Path file = directory.resolve(name + ".p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            keys.store(out, PASSWORD);
        }
        return file;
    }

    /** Sends a request over a new connection. @param keys the certificate that signs the handshake; null for none */
    private Response get(String path, @Nullable KeyStore keys) throws Exception {
        KeyManagerFactory signs = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        signs.init(keys, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("people", authority());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(signs.getKeyManagers(), trust.getTrustManagers(), null);
        OkHttpClient client = new OkHttpClient.Builder()
                .sslSocketFactory(context.getSocketFactory(), (X509TrustManager) trust.getTrustManagers()[0])
                // The certificate names no address.
                .hostnameVerifier((host, session) -> true).connectTimeout(SOON).readTimeout(SOON).build();
        try (Response response = client
                .newCall(new Request.Builder().url("https://127.0.0.1:" + service.port() + path).build()).execute()) {
            return response.newBuilder().body(ResponseBody.create(response.body().bytes(), null)).build();
        } finally {
            client.connectionPool().evictAll();
            client.dispatcher().executorService().shutdown();
        }
    }

    @Test
    void aCertificateOfTheTrustedAuthoritySignsItsUserIn() throws Exception {
        KeyStore captain = people.signed("O=crew,CN=captain");
        eventually("the API server has answered in time", SOON, () -> {
            Response me = get("/console/me", captain);
            String body = me.body().string();
            assertThat(me.code()).as(body).isEqualTo(200);
            return body.contains("\"captain\"");
        });
        eventually("the API server has answered in time", SOON,
                () -> get("/actuator/journal", captain).code() == 200);
    }

    @Test
    void aUserWithoutTheRightAndACallerWithoutACertificateAreRefused() throws Exception {
        KeyStore passenger = people.signed("O=passengers,CN=passenger");
        eventually("the API server has answered in time", SOON, () -> {
            Response me = get("/console/me", passenger);
            assertThat(me.code()).isEqualTo(401);
            return me.body().string().contains("User \\\"passenger\\\" cannot get path");
        });
        assertThat(get("/actuator/journal", null).code()).isEqualTo(401);
        assertThat(get("/actuator/health", null).code()).isEqualTo(200);
    }

    @Test
    void aCertificateOfAnotherAuthorityEndsTheHandshake() throws Exception {
        KeyStore stowaway = new ClientCertificates().signed("O=crew,CN=captain");
        assertThatThrownBy(() -> get("/console/me", stowaway)).isInstanceOf(IOException.class);
    }
}
