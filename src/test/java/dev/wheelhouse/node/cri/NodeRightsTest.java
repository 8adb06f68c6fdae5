package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The rights that the paths of a node's server need. No path that is asked for here reaches a container runtime. */
@Timeout(60)
class NodeRightsTest {
    private static final Instant NOW = Instant.now();
    private static final SigningAuthority AUTHORITY = SigningAuthority.create("ca", Keys.newPair(), NOW);
    private static final SigningAuthority OTHER = SigningAuthority.create("ca", Keys.newPair(), NOW);
    private static final List<String> SUBRESOURCES = List.of("stats", "metrics", "log", "proxy", "pods", "healthz",
            "configz", "checkpoint", "statusz");
    private static final Map<String, SSLContext> HOLDERS = new HashMap<>();
    private static final SSLContext STRANGER = user(OTHER, "only-proxy", NOW);
    private static final SSLContext NEIGHBOUR = user(AUTHORITY, "neighbour", NOW);
    private static final SSLContext NOBODY = anybody();
    private static final String SECRET = "a-token-of-robot";

    @TempDir
    static Path home;

    private static TestServer api;
    private static LoopRunner runner;
    private static NodeServer node;

    @BeforeAll
    static void start() throws IOException {
        api = TestServer.start(ApiServerOptions.defaults().withSecurity(Security.of(AuthorizationMode.RBAC,
                Map.of(SECRET, new User("only-stats", "", List.of("system:authenticated"), Map.of())),
                ServerKeys.inMemory())), false, 0);
        for (String subresource : SUBRESOURCES) {
            grant("only-" + subresource, "nodes/" + subresource, "get, create", "");
        }
        grant("reader", "nodes/proxy", "get", "");
        grant("neighbour", "nodes/proxy", "get, create", ", resourceNames: [other]");
        Path file = Files.writeString(home.resolve("ca.crt"), Pem.of(List.of(AUTHORITY.certificate())));
        Clock clock = Clock.system();
        CriService none = new CriService(new CriClient(home.resolve("no.sock")));
        runner = new LoopRunner("test", clock);
        node = new NodeServer("real", "127.0.0.1", 0, new NodeApi(null,
                new NodeAuth("real", api.client(), file, clock), new Streams(none, "real", runner::run),
                new NodeUsage("real", none, clock, Path.of("/proc"))), clock);
        node.start(runner);
    }

    private static void grant(String user, String resource, String verbs, String names) {
        api.client().resource(new ResourceType("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole",
                false), V1ClusterRole.class).create(Yaml.read(
                        "{metadata: {name: " + user
                                + "}, rules: [{apiGroups: [''], resources: ['" + resource + "'], verbs: [" + verbs + "]"
                                + names + "}]}",
                        V1ClusterRole.class));
        api.client().resource(new ResourceType("rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                "ClusterRoleBinding", false), V1ClusterRoleBinding.class).create(Yaml.read(
                        "{metadata: {name: " + user
                                + "}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: " + user
                                + "}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: " + user
                                + "}]}",
                        V1ClusterRoleBinding.class));
    }

    @AfterAll
    static void stop() {
        node.close();
        assertThat(runner.close(Duration.ofSeconds(5))).as("threads that did not end").isEmpty();
        api.close();
    }

    private static SSLContext anybody() {
        try {
            return AnyPeer.context();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext holder(String subresource) {
        return HOLDERS.computeIfAbsent(subresource, name -> user(AUTHORITY, "only-" + name, NOW));
    }

    private static SSLContext user(SigningAuthority authority, String name, Instant when) {
        KeyPair keys = Keys.newPair();
        try {
            return AnyPeer.context(keys.getPrivate(), authority.client(new X500Principal("CN=" + name),
                    keys.getPublic(), Duration.ofDays(1), when));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The whole answer. */
    private static String ask(SSLContext who, String method, String target, String headers) throws IOException {
        try (Socket socket = who.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), node.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write((method + " " + target + " HTTP/1.1\r\nHost: node\r\n" + headers + "\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static int code(SSLContext who, String method, String target, String headers) throws IOException {
        return Integer.parseInt(ask(who, method, target, headers).split(" ")[1]);
    }

    /** Each path, the subresources of which one is enough, and the answer to those who have one of them. */
    @ParameterizedTest(name = "{0} {1} needs {2}")
    @CsvSource(textBlock = """
            GET,  /healthz,               healthz proxy,  200
            GET,  /stats/none,            stats,          404
            GET,  /stats/summary/more,    stats,          404
            GET,  /metrics/cadvisor,      metrics,        404
            GET,  /metrics,               metrics,        404
            GET,  /logs/,                 log,            404
            GET,  /containerLogs/n/p,     proxy,          404
            GET,  /exec/n/p/c,            proxy,          400
            POST, /exec/n/p/c,            proxy,          400
            POST, /attach/n/p/uid/c,      proxy,          400
            GET,  /attach/n/p/c,          proxy,          400
            POST, /portForward/n/p,       proxy,          400
            GET,  /portForward/n/p/uid,   proxy,          400
            POST, /run/n/p/c,             proxy,          404
            GET,  /pods,                  pods proxy,     404
            GET,  /runningpods/,          pods proxy,     404
            GET,  /configz,               configz proxy,  404
            GET,  /flagz,                 configz,        404
            GET,  /statusz,               statusz,        404
            POST, /checkpoint/n/p/c,      checkpoint,     404
            GET,  /,                      proxy,          404
            GET,  //stats/summary,        proxy,          404
            GET,  /STATS/summary,         proxy,          404
            GET,  /stats%2Fsummary,       proxy,          404
            GET,  /stats/..%2Fexec/n/p/c, stats,          404
            GET,  /stats/../exec/n/p/c,   stats,          404
            """)
    void aPathNeedsTheRightToItsSubresource(String method, String path, String enough, int allowed) throws Exception {
        Set<String> tried = new TreeSet<>(List.of("proxy", "stats", "log"));
        tried.addAll(List.of(enough.split(" ")));
        for (String subresource : tried) {
            assertThat(code(holder(subresource), method, path, "")).as(subresource)
                    .isEqualTo(List.of(enough.split(" ")).contains(subresource) ? allowed : 403);
        }
        assertThat(code(NOBODY, method, path, "")).as("no credentials").isEqualTo(401);
        assertThat(code(NOBODY, method, path, "Authorization: Bearer wrong\r\n")).as("no token").isEqualTo(401);
        assertThat(code(STRANGER, method, path, "")).as("another authority").isEqualTo(401);
        assertThat(code(NEIGHBOUR, method, path, "")).as("of another node").isEqualTo(403);
    }

    @Test
    void aRefusalNamesTheRight() throws Exception {
        assertThat(ask(user(AUTHORITY, "only-stats", NOW), "POST", "/exec/n/p/c", "")).startsWith("HTTP/1.1 403 ")
                .endsWith("Forbidden (user=only-stats, verb=create, resource=nodes, subresource(s)=[proxy])");
        assertThat(ask(NOBODY, "GET", "/healthz", "")).startsWith("HTTP/1.1 401 ").endsWith("\r\n\r\nUnauthorized");
    }

    @Test
    void theMethodIsTheVerb() throws Exception {
        SSLContext reader = user(AUTHORITY, "reader", NOW);
        assertThat(code(reader, "GET", "/exec/n/p/c", "")).isEqualTo(400);
        for (String method : List.of("POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "get", "NONE")) {
            assertThat(code(reader, method, "/exec/n/p/c", "")).as(method).isEqualTo(403);
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            Authorization: Bearer a-token-of-robot   | 404
            authorization: bearer   a-token-of-robot | 404
            Authorization: Bearer a-token-of-robot x | 401
            Authorization: Bearer                    | 401
            Authorization: Basic a-token-of-robot    | 401
            Authorization: a-token-of-robot          | 401
            X-Remote-User: only-stats                | 401
            Impersonate-User: only-stats             | 401
            """)
    void aTokenIsShownAsABearer(String header, int expected) throws Exception {
        assertThat(code(NOBODY, "GET", "/stats/none", header + "\r\n")).isEqualTo(expected);
    }

    @Test
    void aTokenCountsBesideACertificateThatDoesNot() throws Exception {
        assertThat(code(user(OTHER, "only-proxy", NOW), "GET", "/stats/none", "Authorization: Bearer " + SECRET
                + "\r\n")).isEqualTo(404);
    }

    @Test
    void aCertificateHasToBeOfAClientAndOfToday() throws Exception {
        assertThat(code(user(AUTHORITY, "only-stats", NOW.minus(Duration.ofDays(3))), "GET", "/stats/none", ""))
                .as("expired").isEqualTo(401);
        assertThat(code(user(AUTHORITY, "only-stats", NOW.plus(Duration.ofDays(3))), "GET", "/stats/none", ""))
                .as("not valid yet").isEqualTo(401);
        KeyPair keys = Keys.newPair();
        SSLContext server = AnyPeer.context(keys.getPrivate(), AUTHORITY.serving("only-stats", keys.getPublic(),
                List.of("only-stats"), Duration.ofDays(1), NOW));
        assertThat(code(server, "GET", "/stats/none", "")).as("of a server").isEqualTo(401);
        KeyPair nameless = Keys.newPair();
        assertThat(code(AnyPeer.context(nameless.getPrivate(), AUTHORITY.client(new X500Principal("O=system:masters"),
                nameless.getPublic(), Duration.ofDays(1), NOW)), "GET", "/stats/none", "")).as("without a name")
                .isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource({"GET http://node/healthz HTTP/1.1", "GET /healthz HTTP/2.0", "GET /healthz", "GET /%zz HTTP/1.1",
            "PRI * HTTP/2.0", "''"})
    void onlyRequestsOfHttp11AreRead(String first) throws Exception {
        try (Socket socket = NOBODY.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), node.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write((first + "\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400 ");
        }
    }
}
