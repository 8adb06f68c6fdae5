package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x9.X962Parameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The requests for each form of a kubeconfig. The right answers are those of kubectl 1.32. */
@Tag("full")
class KubeconfigCasesTest {
    private static final TestKeys KEYS = new TestKeys();
    private static final Map<String, String> PEMS = pems();
    private static final String V1 = "apiVersion: client.authentication.k8s.io/v1";
    private static final String EXEC = "exec: {" + V1 + ", interactiveMode: Never, command: ./%s}";

    @TempDir
    private Path dir;

    private final RawServer server = new RawServer(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"),
            KEYS.server(TestKeys.address()));
    private final RawServer named = new RawServer(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"),
            KEYS.server(TestKeys.name("kube.internal")));
    private final RawServer plain = new RawServer(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"));

    KubeconfigCasesTest() throws IOException {}

    /** The client's certificates and keys, by the names of their files. */
    private static Map<String, String> pems() {
        Map<String, String> pems = new LinkedHashMap<>();
        KeyPair rsa = TestKeys.pair("RSA", 2048);
        put(pems, "rsa8", rsa, TestKeys.pem("PRIVATE KEY", rsa.getPrivate().getEncoded()));
        put(pems, "rsa1", rsa, TestKeys.pem("RSA PRIVATE KEY", inner(rsa)));
        put(pems, "crlf", rsa, pems.get("rsa8.key").replace("\n", "\r\n"));
        put(pems, "bag", rsa, "Bag Attributes\n    friendlyName: x\n" + pems.get("rsa8.key"));
        pems.put("bag.crt", "Bag Attributes\n" + pems.get("rsa8.crt"));
        pems.put("both.pem", pems.get("rsa8.crt") + pems.get("rsa8.key"));
        pems.put("reverse.pem", pems.get("rsa8.key") + pems.get("rsa8.crt"));
        KeyPair ed = TestKeys.pair("Ed25519", 255);
        put(pems, "ed", ed, TestKeys.pem("PRIVATE KEY", ed.getPrivate().getEncoded()));
        for (int bits : List.of(256, 384, 521)) {
            KeyPair ec = TestKeys.pair("EC", bits);
            String sec1 = TestKeys.pem("EC PRIVATE KEY", sec1(ec));
            put(pems, "ec" + bits, ec, sec1);
            put(pems, "ec8-" + bits, ec, TestKeys.pem("PRIVATE KEY", ec.getPrivate().getEncoded()));
            put(pems, "ec-params-" + bits, ec, TestKeys.pem("EC PARAMETERS", curve(ec)) + sec1);
        }
        return pems;
    }

    private static void put(Map<String, String> pems, String name, KeyPair keys, String key) {
        pems.put(name + ".crt", TestKeys.pem(KEYS.certificate("CN=" + name, keys)));
        pems.put(name + ".key", key);
    }

    private static byte[] inner(KeyPair keys) {
        return PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded()).getPrivateKey().getOctets();
    }

    private static byte[] curve(KeyPair keys) {
        try {
            return PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded()).getPrivateKeyAlgorithm().getParameters()
                    .toASN1Primitive().getEncoded();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The key as SEC 1 has it, with its curve and without its public key. */
    private static byte[] sec1(KeyPair keys) {
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
        try {
            return new ECPrivateKey(((java.security.interfaces.ECPrivateKey) keys.getPrivate()).getParams().getOrder()
                    .bitLength(), ECPrivateKey.getInstance(inner(keys)).getKey(),
                    X962Parameters.getInstance(info.getPrivateKeyAlgorithm().getParameters())).getEncoded();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void writeFiles() throws IOException {
        for (Map.Entry<String, String> each : PEMS.entrySet()) {
            Files.writeString(dir.resolve(each.getKey()), each.getValue());
        }
        Files.writeString(dir.resolve("ca.crt"), "# authorities\n" + TestKeys.pem(KEYS.authority) + "# end\n");
        Files.writeString(dir.resolve("tok"), "from-file\r\n");
        Files.writeString(dir.resolve("blank"), "\n");
        plugin("token", "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
                + "\"status\":{\"token\":\"from-exec\"}}");
        plugin("beta", "{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":\"ExecCredential\","
                + "\"status\":{\"token\":\"beta\"}}");
    }

    private void plugin(String name, String prints) throws IOException {
        Files.writeString(dir.resolve("printed-" + name), prints);
        Path script = Files.writeString(dir.resolve(name),
                "#!/bin/sh\nprintf %s \"$KUBERNETES_EXEC_INFO\" > \"$0.info\""
                        + "\ncat \"${0%/*}/printed-" + name + "\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        named.close();
        plain.close();
    }

    private KubeConfigs.Connection connect(String cluster, String user) throws IOException {
        return connect("""
                current-context: x
                contexts: [{name: x, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {%s}}]
                users: [{name: u, user: {%s}}]
                """.formatted(cluster, user));
    }

    private KubeConfigs.Connection connect(String kubeconfig) throws IOException {
        Path file = Files.writeString(dir.resolve("config"), kubeconfig);
        return new KubeConfigs(Map.of(), dir, dir, Clock.system(), Meters.NONE).resolve(file, null);
    }

    /** A request as the server saw it: credentials, impersonation, the name of the certificate, the server's name. */
    private String sent(RawServer to, String cluster, String user) throws IOException {
        try (HttpKubeClient client = new HttpKubeClient(connect(cluster, user).api(), Clock.system())) {
            client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(ObjectKey.of("default", "a"));
        }
        return new TreeMap<>(to.requests.getLast().headers()).entrySet().stream()
                .filter(each -> each.getKey().startsWith(":") || each.getKey().startsWith("auth")
                        || each.getKey().startsWith("impersonate"))
                .map(each -> each.getKey() + "=" + each.getValue()).collect(Collectors.joining("; "));
    }

    private String local() {
        return "server: \"" + server.url() + "\", certificate-authority: ca.crt";
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/kubeconfig-credentials.txt", delimiter = '~', quoteCharacter = '`')
    void aRequestCarriesTheCredentialsAndWhomTheUserActsAs(String user, String expected) throws IOException {
        assertThat(sent(server, local(), user)).isEqualTo(expected);
    }

    static Stream<String> keys() {
        return PEMS.keySet().stream().filter(name -> name.endsWith(".key"))
                .map(name -> name.substring(0, name.length() - 4));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aKeyInAnyFormIsReadFromAFileFromDataAndFromAPlugin(String name) throws IOException {
        String expected = ":peer=CN=" + name.replace("bag", "rsa8");
        assertThat(sent(server, local(), "client-certificate: " + name + ".crt, client-key: " + name + ".key"))
                .isEqualTo(expected);
        assertThat(sent(server, local(), "client-certificate-data: " + TestKeys.base64(PEMS.get(name + ".crt"))
                + ", client-key-data: " + TestKeys.base64(PEMS.get(name + ".key")))).isEqualTo(expected);
        plugin("certificate", ModelJson.write(Map.of("apiVersion", "client.authentication.k8s.io/v1", "status",
                Map.of("clientCertificateData", PEMS.get(name + ".crt"), "clientKeyData", PEMS.get(name + ".key")))));
        assertThat(sent(server, local(), EXEC.formatted("certificate"))).isEqualTo(expected);
    }

    @Test
    void theServersNameIsAskedForAndChecked() throws IOException {
        String cluster = "tls-server-name: kube.internal, server: \"" + named.url() + "\"";
        String expected = ":name=kube.internal; authorization=Bearer t";
        String data = ", certificate-authority-data: " + TestKeys.base64(TestKeys.pem(KEYS.authority));
        assertThat(sent(named, cluster + ", certificate-authority: ca.crt", "token: t")).isEqualTo(expected);
        assertThat(sent(named, cluster + data, "token: t")).isEqualTo(expected);
        assertThat(sent(named, cluster + ", insecure-skip-tls-verify: true", "token: t")).isEqualTo(expected);
        assertThat(sent(named, cluster + data, EXEC.formatted("token"))).isEqualTo(
                expected.replace("Bearer t", "Bearer from-exec"));
        assertThatThrownBy(() -> sent(server, local() + ", tls-server-name: kube.internal", "token: t"))
                .isInstanceOf(KubeApiException.class);
        assertThatThrownBy(
                () -> sent(named, cluster.replace("tls-server-name: kube.internal, ", "") + data, "token: t"))
                .isInstanceOf(KubeApiException.class);
    }

    @Test
    void aServerWithoutTlsGetsNoCredentials() throws IOException {
        for (String url : List.of(plain.url(), plain.url().replace("http", "HTTP"))) {
            String cluster = "server: \"" + url + "\"";
            for (String user : List.of("token: t", "tokenFile: missing, token: t", "username: me, password: pw",
                    EXEC.formatted("no-such-plugin"), "client-certificate: rsa8.crt, client-key: rsa8.key")) {
                assertThat(sent(plain, cluster, user)).isEmpty();
            }
            assertThat(sent(plain, cluster, "token: t, as: jane")).isEqualTo("impersonate-user=jane");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"'' | /api/v1/", "/ | /api/v1/", "/k8s/clusters/c | /k8s/clusters/c/api/v1/",
            "/k8s/clusters/c/ | /k8s/clusters/c/api/v1/", "/?a=b | /api/v1/", "/k8s?a=b#c | /k8s/api/v1/"})
    void theUrlOfTheServerIsTakenWithoutItsQuery(String path, String expected) throws IOException {
        sent(server, "server: \"" + server.url() + path + "\", certificate-authority: ca.crt", "token: t");
        assertThat(server.requests.getLast().line()).isEqualTo("GET " + expected + "namespaces/default/configmaps/a");
    }

    @Test
    void aPluginThatAsksForItGetsTheCluster() throws IOException {
        String user = "exec: {" + V1 + ", interactiveMode: IfAvailable, provideClusterInfo: %s, command: ./token}";
        String cluster = local() + ", proxy-url: \"\", extensions: [{name: other, extension: 1}, "
                + "{name: client.authentication.k8s.io/exec, extension: {aud: x}}]";
        sent(server, cluster, user.formatted("true"));
        JsonNode info = ModelJson.read(Files.readString(dir.resolve("token.info")), JsonNode.class);
        assertThat(info.path("spec").path("cluster")).isEqualTo(ModelJson.tree(Map.of("server", server.url(),
                "certificate-authority-data", TestKeys.base64(Files.readString(dir.resolve("ca.crt"))), "config",
                Map.of("aud", "x"))));
        sent(server, cluster, user.formatted("false"));
        assertThat(Files.readString(dir.resolve("token.info"))).contains("\"interactive\":false")
                .doesNotContain("cluster\"");
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/kubeconfig-users.txt", delimiter = '|', quoteCharacter = '\'')
    void aUserThatCannotBeUsedIsRefusedWithTheNameOfItsField(String user, String message) {
        assertThatThrownBy(() -> connect(local(), user)).isInstanceOf(KubeConfigException.class)
                .hasMessageContaining(message).satisfies(e -> assertThat(e.getMessage().replace(dir.toString(), ""))
                        .doesNotContain("12345", "\n"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "insecure-skip-tls-verify: 'true' "
                    + "| field insecure-skip-tls-verify of the cluster \"c\" is neither true nor false",
            "insecure-skip-tls-verify: true, certificate-authority: ca.crt | is set beside insecure-skip-tls-verify",
            "server: 'https://me:pw@127.0.0.1:1' | has a user's name or password",
            "server: 'https://127.0.0.1:1 ' | write it as https://HOST:PORT",
            "server: '127.0.0.1:1' | write it as https://HOST:PORT", "server: 1 | is no text"})
    void aClusterThatCannotBeUsedIsRefusedWithTheNameOfItsField(String cluster, String message) {
        String complete = cluster.contains("server:") ? cluster : "server: \"https://127.0.0.1:1\", " + cluster;
        assertThatThrownBy(() -> connect(complete, "token: t")).isInstanceOf(KubeConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "context: {cluster: c, user: u, namespace: 123} | field namespace of the context \"x\" is no text",
            "context: {cluster: c, user: u}}, {name: x | contexts has two entries \"x\"",
            "context: {cluster: c, user: u}}, {name: 1 | contexts[1].name is no text",
            "context: {cluster: c, user: u}}, {name: z, context: {user: 7} "
                    + "| field user of the context \"z\" is no text"})
    void anEntryOfAnotherTypeOrTwiceIsRefusedEvenIfItIsNotUsed(String context, String message) {
        String file = """
                current-context: x
                contexts: [{name: x, %s}]
                clusters: [{name: c, cluster: {%s}}]
                users: [{name: u, user: {token: t}}]
                """.formatted(context, local());
        assertThatThrownBy(() -> connect(file)).isInstanceOf(KubeConfigException.class).hasMessageContaining(message);
    }
}
