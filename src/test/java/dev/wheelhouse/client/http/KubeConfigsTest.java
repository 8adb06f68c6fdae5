package dev.wheelhouse.client.http;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The choice of the server and the credentials, and the message of each problem. */
class KubeConfigsTest {
    @TempDir
    Path dir;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private static final TestKeys KEYS = new TestKeys();
    private final RawServer server = new RawServer(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"),
            KEYS.server(TestKeys.address()));

    KubeConfigsTest() throws IOException {}

    /** The runs of plugins, as {@code CODE STATUS}. */
    private List<String> plugins() {
        return Counts.of(registry, "rest.client.exec.plugin.call", "code", "call_status");
    }

    @BeforeEach
    void makeHome() throws IOException {
        Files.createDirectories(dir.resolve("home"));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private KubeConfigs configs(Map<String, String> environment) {
        return new KubeConfigs(environment, dir.resolve("home"), dir.resolve("serviceaccount"), Clock.system(),
                registry);
    }

    private Path write(String name, String content) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    private String config(String user) {
        return """
                apiVersion: v1
                kind: Config
                current-context: dev
                contexts:
                - name: dev
                  context: {cluster: here, user: me, namespace: team}
                - name: other
                  context: {cluster: here, user: nobody}
                clusters:
                - name: here
                  cluster: {server: "%s", certificate-authority-data: %s}
                users:
                - name: me
                  user: %s
                """.formatted(server.url(), TestKeys.base64(TestKeys.pem(KEYS.authority)), user);
    }

    /** Asks the server something, and gives the Authorization header that came with it. */
    private String authorization(KubeConfigs.Connection connection) {
        try (HttpKubeClient client = new HttpKubeClient(connection.api(), Clock.system())) {
            client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(ObjectKey.of("default", "a"));
        }
        return server.requests.getLast().headers().getOrDefault("authorization", "");
    }

    private void refused(Path file, String context, String... words) {
        assertThatThrownBy(() -> configs(Map.of()).resolve(file, context.isEmpty() ? null : context))
                .isInstanceOf(KubeConfigException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(words).doesNotContain("\n"));
    }

    @Test
    void aTokenIsSentAndTheContextsNamespaceIsKnown() throws IOException {
        Path file = write("config", config("{token: secret}"));
        KubeConfigs.Connection connection = configs(Map.of()).resolve(file, null);
        assertThat(authorization(connection)).isEqualTo("Bearer secret");
        assertThat(connection.namespace()).isEqualTo("team");
        assertThat(connection.source()).isEqualTo(file + ", context dev");
    }

    @Test
    void aUserAndPasswordAreSent() throws IOException {
        Path file = write("config", config("{username: u, password: p}"));
        assertThat(authorization(configs(Map.of()).resolve(file, null))).isEqualTo(
                "Basic " + Base64.getEncoder().encodeToString("u:p".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aTokenFileIsReadRelativeToTheKubeconfigAndAgainAfterA401() throws IOException {
        Path file = write("sub/config", config("{tokenFile: token}"));
        Path token = write("sub/token", "first\n");
        KubeConfigs.Connection connection = configs(Map.of()).resolve(file, null);
        assertThat(authorization(connection)).isEqualTo("Bearer first");
        Files.writeString(token, "second");
        server.answerWith((request, out) -> RawServer.json(out,
                "Bearer second".equals(request.headers().get("authorization")) ? 200 : 401, "",
                "{\"metadata\":{\"name\":\"a\"}}"));
        assertThat(authorization(connection)).isEqualTo("Bearer second");
    }

    @Test
    void anExecPluginIsRunOnceForAsLongAsItsTokenIsGood() throws IOException {
        Path plugin = write("bin/plugin",
                """
                        #!/bin/sh
                        echo run >> "$0.log"
                        echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",\
                        "status":{"token":"'$1-$EXTRA'",'
                        echo '"expirationTimestamp":"2999-01-01T00:00:00Z"}}'
                        """);
        Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));
        Path file = write("config",
                config("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
                        + "command: ./bin/plugin, "
                        + "args: [tok], env: [{name: EXTRA, value: \"7\"}]}}"));
        KubeConfigs.Connection connection = configs(Map.of()).resolve(file, null);
        assertThat(authorization(connection)).isEqualTo("Bearer tok-7");
        assertThat(authorization(connection)).isEqualTo("Bearer tok-7");
        assertThat(Files.readAllLines(dir.resolve("bin/plugin.log"))).hasSize(1);
        assertThat(plugins()).containsExactly("0 no_error");
    }

    @Test
    void severalRefusalsOfOneTokenRunAPluginOnceAlthoughItPrintsTheSameTokenAgain() throws Exception {
        Path file = write("config",
                config("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: echo, "
                        + "args: ['{\"apiVersion\":\"client.authentication.k8s.io/v1\","
                        + "\"status\":{\"token\":\"always\"}}']}}"));
        KubeConfigs.Connection connection = configs(Map.of()).resolve(file, null);
        CyclicBarrier together = new CyclicBarrier(3);
        server.answerWith((request, out) -> {
            try {
                together.await(2, TimeUnit.MINUTES);
            } catch (BrokenBarrierException | TimeoutException e) {
                throw new IOException(e);
            }
            RawServer.json(out, 401, "", "{}");
        });
        List<Thread> askers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            askers.add(Thread.ofPlatform().start(() -> assertThatThrownBy(() -> authorization(connection))
                    .isInstanceOf(KubeApiException.class)));
        }
        for (Thread asker : askers) {
            asker.join();
        }
        assertThat(server.requests).hasSize(3);
        assertThat(plugins()).as("the first run, and one for the refused token").hasSize(2);
    }

    @Test
    void anExecPluginThatFailsOrIsMissingIsNamedWithItsHint() throws IOException {
        Path file = write("config",
                config("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
                        + "command: no-such-plugin-here, "
                        + "installHint: \"get it from the cupboard\"}}"));
        refused(file, "", file.toString(), "exec", "no-such-plugin-here", "get it from the cupboard");
        Files.writeString(file, config(
                "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: \"false\"}}"));
        refused(file, "", "false failed with exit code 1");
        assertThat(plugins()).isNotEmpty().containsOnly("1 plugin_not_found_error", "1 plugin_execution_error");
        Files.writeString(file,
                config("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
                        + "command: echo, args: [hello]}}"));
        refused(file, "", "echo did not print an ExecCredential");
        Files.writeString(file, config("{exec: {command: echo}}"));
        refused(file, "", "apiVersion", "client.authentication.k8s.io/v1");
    }

    @Test
    void theFilesOfKubeconfigAreMergedTheFirstWinsAndMissingOnesAreLeftOut() throws IOException {
        Path first = write("a/config", """
                users:
                - name: me
                  user: {tokenFile: token}
                current-context: dev
                """);
        write("a/token", "from the first");
        Path second = write("b/config", config("{token: from the second}").replace("current-context: dev",
                "current-context: other"));
        KubeConfigs configs = configs(
                Map.of("KUBECONFIG",
                        String.join(File.pathSeparator, first.toString(), dir + "/missing", second.toString())));
        assertThat(authorization(configs.resolve(null, null))).isEqualTo("Bearer from the first");
    }

    @Test
    void withoutKubeconfigTheOneInTheHomeDirectoryIsUsedAndThenThePod() throws IOException {
        assertThatThrownBy(() -> configs(Map.of()).resolve(null, null)).isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("KUBECONFIG is not set").hasMessageContaining(dir + "/home/.kube/config");
        write("home/.kube/config", config("{token: home}"));
        assertThat(authorization(configs(Map.of()).resolve(null, null))).isEqualTo("Bearer home");
        assertThatThrownBy(() -> configs(Map.of("KUBECONFIG", "/no/such/file")).resolve(null, null))
                .isInstanceOf(KubeConfigException.class).hasMessageContaining("/no/such/file");
    }

    @Test
    void aPodUsesItsServiceAccount() throws IOException {
        write("serviceaccount/token", "pod-token");
        write("serviceaccount/namespace", "team\n");
        KubeConfigs configs = configs(Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443"));
        assertThat(configs.isInCluster()).isTrue();
        assertThatThrownBy(() -> configs.resolve(null, null)).isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("ca.crt").hasMessageContaining("there is no such file");
        write("serviceaccount/ca.crt", CERTIFICATE);
        KubeConfigs.Connection connection = configs.resolve(null, null);
        assertThat(connection.api().getBasePath()).isEqualTo("https://10.0.0.1:443");
        assertThat(connection.namespace()).isEqualTo("team");
    }

    @Test
    void everyMistakeIsOneSentenceThatNamesFileFieldAndRemedy() throws IOException {
        Path missing = dir.resolve("missing");
        refused(missing, "", missing.toString(), "there is no such file");
        refused(dir, "", "is a directory");

        Path file = write("config", "a: [1\nb");
        refused(file, "", file.toString(), "is no YAML", "line 2");
        Files.writeString(file, "just text");
        refused(file, "", "is this a kubeconfig?");
        Files.writeString(file, "contexts: 7");
        refused(file, "", "contexts is no list");
        for (String empty : List.of("", "# a comment", "{contexts: null, clusters: null, users: null}")) {
            Files.writeString(file, empty);
            refused(file, "", "current-context is not set");
        }
        Files.writeString(file, config("{token: x}"));
        refused(file, "prod", "no context \"prod\"", "[dev, other]");
        refused(file, "other", "context \"other\" names the user \"nobody\", which does not exist", "[me]");
        Files.writeString(file, config("{token: x}").replace(server.url(), ""));
        refused(file, "", "field server of the cluster \"here\" is not set");
        Files.writeString(file, config("{token: x}").replace(server.url(), "kubernetes"));
        refused(file, "", "server", "\"kubernetes\"", "https://HOST:PORT");
        Files.writeString(file,
                config("{token: x}").replace("certificate-authority-data", "certificate-authority: ca.pem, other"));
        refused(file, "", "certificate-authority", dir.resolve("ca.pem").toString(), "does not exist");
        Files.writeString(file,
                config("{token: x}").replace("certificate-authority-data", "certificate-authority-data: \"Z\", other"));
        refused(file, "", "certificate-authority-data", "no base64");
        Files.writeString(file, config("{client-certificate-data: AAAA}"));
        refused(file, "", "client-key of the user \"me\" is not set");
        Files.writeString(file, config("{client-certificate-data: AAAA, client-key-data: AAAA}"));
        refused(file, "", "client-key has no private key");
        Files.writeString(file, config("{tokenFile: tok}"));
        refused(file, "", "tokenFile", dir.resolve("tok").toString());
    }

    /** A self-signed certificate that nothing uses. */
    private static final String CERTIFICATE = """
            -----BEGIN CERTIFICATE-----
            MIIBdTCCARugAwIBAgIUSqldP4hWphSRTSTUhMZhq3NMAAYwCgYIKoZIzj0EAwIw
            DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjEwOTAwNTFaGA8yMTI2MTAyODA5MDA1
            MVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMRW
            47fua90F1U7hYFx+r+v5B3qLwKVBHQO49vT8ECoH6bPJ3tvYTZluxfqns4USVihb
            tRZTXD2yIsqaAUB1M26jUzBRMB0GA1UdDgQWBBRSOLScDfpuuZOC3bzAkP9c2xoY
            ITAfBgNVHSMEGDAWgBRSOLScDfpuuZOC3bzAkP9c2xoYITAPBgNVHRMBAf8EBTAD
            AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCpdhIuIcdHXfxKVDk0zKJe/eZK6FwOpHiE
            cG+Cco8AwQIgQdKTnQmTwa2emTRMqQobhsI4w0/+14gwH4lnyuXryTM=
            -----END CERTIFICATE-----
            """;
}
