package dev.wheelhouse.spring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The rights that health, metrics and the other management endpoints ask for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class ManagementTest {
    private static final String SECRET = "the-password-in-an-environment-variable";
    private static final String PLAN = "/actuator/plan/deployment/shop/web";
    private static final ResourceType ROLES = new ResourceType("rbac.authorization.k8s.io", "v1", "clusterroles",
            "ClusterRole", false);
    private static final ResourceType BINDINGS = new ResourceType("rbac.authorization.k8s.io", "v1",
            "clusterrolebindings", "ClusterRoleBinding", false);

    @TempDir
    private static Path directory;

    private TestServer cluster;
    /** On a cluster with roles, listening on all addresses, with every endpoint that there is. */
    private RunningService inCluster;
    /** On the embedded API server, on loopback, as a newcomer starts it. */
    private RunningService onLoopback;

    @BeforeAll
    void start() throws IOException {
        cluster = TestServer.start(ApiServerOptions.defaults().withSecurity(Security.of(AuthorizationMode.RBAC,
                Map.of("viewer-token", new User("viewer", "v-1", List.of("system:authenticated"), Map.of()),
                        "passer-by-token", new User("passer-by", "", List.of("system:authenticated"), Map.of())),
                ServerKeys.inMemory())), false, 0);
        cluster.client().resource(ROLES, V1ClusterRole.class).create(Yaml.loadAs("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: sees-contents}
                rules: [{nonResourceURLs: [/actuator/*], verbs: [get, post]}]
                """, V1ClusterRole.class));
        cluster.client().resource(BINDINGS, V1ClusterRoleBinding.class).create(Yaml.loadAs("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: viewer-sees-contents}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: sees-contents}
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: viewer}]
                """, V1ClusterRoleBinding.class));
        Path kubeconfig = Files.writeString(directory.resolve("cluster.kubeconfig"), cluster.server().kubeconfig());
        inCluster = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig,
                "--wheelhouse.manage=observe", "--server.address=0.0.0.0",
                "--management.endpoints.web.exposure.include=*", "--management.endpoint.shutdown.access=unrestricted",
                "--management.endpoint.heapdump.access=unrestricted");
        onLoopback = RunningService.start(directory, "--wheelhouse.manage=observe");
        for (Workloads user : List.of(new Workloads(cluster.client(), "shop"),
                new Workloads(onLoopback.bean(KubeClient.class), "shop"))) {
            var web = user.newDeployment("web", 1);
            web.getSpec().getTemplate().getSpec().getContainers().getFirst()
                    .addEnvItem(new V1EnvVar().name("PASSWORD").value(SECRET));
            user.deployments().create(web);
        }
        eventually("both have seen the Deployment", Duration.ofMinutes(2),
                () -> get(inCluster, PLAN).contains("\"create\"") && get(onLoopback, PLAN).contains("\"create\""));
    }

    @AfterAll
    void stop() {
        onLoopback.close();
        inCluster.close();
        cluster.close();
    }

    @AfterEach
    void clear() {
        cluster.faults().clear();
    }

    private static String get(RunningService service, String path, String... headers) throws IOException {
        return ask(service, InetAddress.getLoopbackAddress(), "GET", path, headers);
    }

    private static String ask(RunningService service, InetAddress address, String method, String path,
            String... headers) throws IOException {
        int port = URI.create(service.actuator()).getPort();
        try (Socket socket = new Socket(address, port)) {
            socket.setSoTimeout(120_000);
            List<String> lines = new ArrayList<>(List.of(method + " " + path + " HTTP/1.1", "Connection: close"));
            lines.addAll(List.of(headers));
            if (List.of(headers).stream().noneMatch(header -> header.startsWith("Host:"))) {
                lines.add("Host: localhost:" + port);
            }
            socket.getOutputStream().write((String.join("\r\n", lines) + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Asks again while the API server is too slow to say whose the token is: the machine may be busy. */
    private static String reviewed(RunningService service, String method, String path, String token) {
        AtomicReference<String> answer = new AtomicReference<>("");
        eventually("the token is reviewed", Duration.ofMinutes(2), () -> {
            answer.set(ask(service, InetAddress.getLoopbackAddress(), method, path, bearer(token)));
            return !answer.get().contains("the API server could not say");
        });
        return answer.get();
    }

    private static int code(String answer) {
        return Integer.parseInt(answer.substring(9, 12));
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site", "Host: evil.example", "Host: localhost.evil.example:8080"})
    void aWebPageSeesNothingAndChangesNothing(String header) throws IOException {
        for (RunningService service : List.of(onLoopback, inCluster)) {
            for (String path : List.of("/actuator", "/actuator/health", PLAN, "/actuator/prometheus",
                    "/actuator/env")) {
                for (String method : List.of("GET", "POST", "OPTIONS", "DELETE")) {
                    String answer = ask(service, InetAddress.getLoopbackAddress(), method, path, header,
                            bearer("viewer-token"));
                    assertThat(code(answer)).as(method + " " + path + "\n" + answer).isEqualTo(403);
                    assertThat(answer.toLowerCase(Locale.ROOT)).contains("\"problem\"")
                            .doesNotContain("access-control");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            deployment/shop/none              | there is no such object in the caches: deployments.apps shop/none
            all/shop/deployments.apps/none    | there is no such object in the caches: deployments.apps shop/none
            all/shop/deployments/web          | the type deployments: did you mean deployments.apps?
            all/shop/deployment/web           | the type deployment: did you mean deployments.apps?
            all/shop/deploymets.apps/web      | the type deploymets.apps: did you mean deployments.apps?
            all/shop/pod/web                  | the type pod: did you mean pods?
            all/shop/zebras/web               | the type zebras: A type is written as in deployments.apps, or pods
            cronjob/shop/deployments.apps/web | no controller that was asked handles deployments.apps shop/web
            """)
    void aPlanOfAnUnknownTypeOrObjectSaysWhichOneIsMeant(String path, String sentence) throws IOException {
        String answer = get(onLoopback, "/actuator/plan/" + path);
        assertThat(code(answer)).isEqualTo(404);
        assertThat(answer).contains(sentence);
    }

    @Test
    void aPlanTellsEverybodyWhatWouldBeDoneAndWhyAndTheAuthorizedWithWhatContents() throws IOException {
        String anonymous = get(inCluster, PLAN);
        assertThat(code(anonymous)).isEqualTo(200);
        assertThat(anonymous).contains("\"action\":\"create\"", "\"resource\":\"replicasets.apps\"", "\"why\":",
                "\"withheld\":", "Authorization: Bearer TOKEN").doesNotContain("\"body\"", SECRET);
        assertThat(get(inCluster, "/actuator/plan/all/shop/deployments.apps/web")).contains("\"create\"")
                .doesNotContain("\"body\"", SECRET);

        assertThat(reviewed(inCluster, "GET", PLAN, "viewer-token")).contains("\"body\"", SECRET)
                .doesNotContain("withheld");
        String passerBy = reviewed(inCluster, "GET", PLAN, "passer-by-token");
        assertThat(passerBy).contains("Warning: 299 - \"User 'passer-by' cannot get path '" + PLAN + "'\"")
                .doesNotContain("\"body\"", SECRET);
        assertThat(reviewed(inCluster, "GET", PLAN, "nobodys"))
                .contains("Warning: 299 - \"the token is nobody's, or no longer valid\"").doesNotContain(SECRET);
    }

    @Test
    void whoMayUseTheOpenApiServerOfThisMachineSeesContentsWithoutATokenUnlessAProxyAsks() throws IOException {
        assertThat(get(onLoopback, PLAN)).contains("\"body\"", SECRET);
        assertThat(get(onLoopback, "/actuator/health")).contains("\"details\"", "diskSpace");
        for (String header : List.of("X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "Via: 1.1 proxy")) {
            assertThat(get(onLoopback, PLAN, header)).contains("\"create\"").doesNotContain(SECRET);
        }
    }

    @Test
    void aForwardedAddressMakesNobodyALoopbackPeer() throws IOException {
        assertThat(get(inCluster, PLAN, "X-Forwarded-For: 127.0.0.1")).doesNotContain(SECRET);
        assertThat(get(inCluster, PLAN)).doesNotContain(SECRET);
    }

    @Test
    void aProbeLearnsTheComponentsStatesInOneLine() throws IOException {
        String all = get(inCluster, "/actuator/health");
        assertThat(all).contains("\"caches\":{\"status\":\"UP\"}", "\"diskSpace\":{\"status\":\"UP\"}")
                .doesNotContain("details");
        assertThat(get(inCluster, "/actuator/health/readiness")).contains("\"caches\":{\"status\":")
                .doesNotContain("details", "deployments.apps");
        assertThat(get(inCluster, "/actuator/health/liveness")).contains("\"loops\":{\"status\":\"UP\"}");
        assertThat(reviewed(inCluster, "GET", "/actuator/health/readiness", "viewer-token"))
                .contains("deployments.apps");
        assertThat(reviewed(inCluster, "GET", "/actuator/health", "viewer-token")).contains("details");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"GET, env", "GET, env/java.home", "GET, configprops", "GET, loggers", "POST, loggers/ROOT",
            "GET, beans", "GET, sbom",
            "GET, threaddump", "GET, heapdump", "POST, heapdump", "POST, shutdown", "GET, mappings", "DELETE, health",
            "GET, scheduledtasks", "POST, metrics"})
    void everyOtherEndpointIsForThoseWhoMay(String method, String path) throws IOException {
        String anonymous = ask(inCluster, InetAddress.getLoopbackAddress(), method, "/actuator/" + path);
        assertThat(code(anonymous)).as(anonymous).isEqualTo(401);
        assertThat(anonymous).contains("Authorization: Bearer TOKEN").doesNotContain("WWW-Authenticate: Basic");
        String passerBy = reviewed(inCluster, method, "/actuator/" + path, "passer-by-token");
        assertThat(code(passerBy)).isEqualTo(403);
        assertThat(passerBy).contains("cannot " + method.toLowerCase(Locale.ROOT) + " path");
    }

    @Test
    void theAuthorizedReadTheEnvironmentWithoutItsValues() throws IOException {
        String env = reviewed(inCluster, "GET", "/actuator/env", "viewer-token");
        assertThat(code(env)).isEqualTo(200);
        assertThat(env).contains("******").doesNotContain(directory.toString());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"/actuator/info/../env", "/actuator//env", "/actuator/env/", "/actuator;x=y/env",
            "/actuator/health;/../env", "/actuator/%65nv", "/%61ctuator/env", "/x/../actuator/env",
            "/actuator/plan/../../x", "/actuator/info/%2e%2e/env", "/actuator/health%2f..%2fenv"})
    void noOtherWayToWriteAPathLeadsPastTheGuard(String path) throws IOException {
        assertThat(code(get(inCluster, path))).isIn(400, 401, 404);
        assertThat(get(inCluster, path)).doesNotContain("systemProperties");
    }

    @Test
    void withoutAnAnswerOfTheApiServerATokenOpensNothingAndHealthGoesOn() throws IOException {
        cluster.faults().on("create", "tokenreviews").delay(Duration.ofSeconds(8));
        String answer = get(inCluster, PLAN, bearer("viewer-token-of-another-day"));
        assertThat(answer)
                .contains("Warning: 299 - \"the API server could not say whose the token is: it did not answer")
                .contains("\"create\"").doesNotContain(SECRET);
        assertThat(code(get(inCluster, "/actuator/health/liveness", bearer("another-one")))).isEqualTo(200);

        cluster.faults().clear();
        eventually("reviews are answered again", Duration.ofMinutes(2),
                () -> code(get(inCluster, "/actuator/env", bearer("viewer-token"))) == 200);
    }

    @Test
    void fromAnotherMachineItIsCalledByItsAddressOrAConfiguredName() throws Exception {
        InetAddress own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && address.getAddress().length == 4).findFirst()
                .orElse(null);
        org.junit.jupiter.api.Assumptions.assumeTrue(own != null, "this machine has a loopback address only");
        String health = "/actuator/health/liveness";
        assertThat(code(ask(inCluster, own, "GET", health, "Host: " + own.getHostAddress() + ":8080"))).isEqualTo(200);
        assertThat(code(ask(inCluster, own, "GET", health, "Host: " + InetAddress.getLocalHost().getHostName())))
                .isEqualTo(200);
        String foreign = ask(inCluster, own, "GET", health, "Host: evil.example");
        assertThat(code(foreign)).isEqualTo(403);
        assertThat(foreign).contains("--wheelhouse.management.hosts=HOST");
    }

    @Test
    void itsHealthAnswersBesideAThousandSlowRequests() throws IOException {
        int port = URI.create(onLoopback.actuator()).getPort();
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 1000; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                slow.add(socket);
                socket.getOutputStream().write((i % 2 == 0
                        ? "GET /actuator/health HTTP/1.1\r\nHost: local"
                        : "POST /actuator/loggers/ROOT HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                + "application/json\r\n"
                                + "Content-Length: 1000\r\n\r\n{")
                        .getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(code(get(onLoopback, "/actuator/health/liveness"))).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** A connection with a part of a request holds some 50 KiB, and the port has room for a sixteenth of the heap. */
    @Test
    void unfinishedHeadsOfStrangersHoldNoMoreThanAPartOfTheHeap() throws Exception {
        int port = URI.create(onLoopback.actuator()).getPort();
        int most = (int) (Runtime.getRuntime().maxMemory() / 16 / (64 * 1024));
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < most + 300; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                slow.add(socket);
                socket.getOutputStream().write("GET /actuator/health HTTP/1.1\r\nHost: local"
                        .getBytes(StandardCharsets.US_ASCII));
            }
            for (Socket oldest : slow.subList(0, 200)) {
                oldest.setSoTimeout(5_000);
                assertThat(isEnded(oldest)).isTrue();
            }
            assertThat(code(get(onLoopback, "/actuator/health/liveness"))).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static boolean isEnded(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"/none", "/actuator/none", "/actuator/health/none", "/error", "/actuator/metrics/none",
            "/actuator/%zz", "/%00", "/actuator/plan/x/y"})
    void anErrorTellsOfNoClassAndNoServersMake(String path) throws IOException {
        for (String accept : List.of("text/html", "application/json", "x/y")) {
            String answer = get(onLoopback, path, "Accept: " + accept);
            assertThat(code(answer)).isBetween(400, 500);
            assertThat(answer).doesNotContain("Exception", "org.spring", "org.apache", "Tomcat", "\tat ", "java.");
        }
    }
}
