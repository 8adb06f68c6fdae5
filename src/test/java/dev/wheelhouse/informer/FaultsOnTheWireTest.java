package dev.wheelhouse.informer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.Relay;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.Workloads.isComplete;
import static dev.wheelhouse.Workloads.orZero;
import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The service as it is run, over HTTP to an API server with nodes of its own, while the API server or the network
 * fails.
 */
@DisplayName("On a bad network and a bad API server, the service")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
@Timeout(900)
@Isolated
class FaultsOnTheWireTest {
    private static final ResourceType ROLES = new ResourceType("rbac.authorization.k8s.io", "v1", "clusterroles",
            "ClusterRole", false);
    private static final ResourceType BINDINGS = new ResourceType("rbac.authorization.k8s.io", "v1",
            "clusterrolebindings", "ClusterRoleBinding", false);

    @TempDir
    private static Path directory;

    private TestServer server;
    private Relay relay;
    private Path kubeconfig;
    private RunningService service;
    private Workloads user;
    private int namespaces;

    @BeforeAll
    void start() throws IOException {
        server = TestServer.start(ApiServerOptions.defaults(), false, 2);
        relay = new Relay(URI.create(server.url()).getPort());
        kubeconfig = Files.writeString(directory.resolve("relay.kubeconfig"), server.server().kubeconfig()
                .replace(server.url(), "http://127.0.0.1:" + relay.port()));
        service = service();
    }

    private RunningService service() {
        return RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig);
    }

    @AfterAll
    void stop() {
        service.close();
        relay.close();
        server.close();
    }

    @BeforeEach
    void namespace() {
        user = new Workloads(server.client(), "faults-" + ++namespaces);
    }

    @AfterEach
    void clear() {
        server.faults().clear();
    }

    private String ask(String path) throws IOException, InterruptedException {
        return ask(service, path);
    }

    private static String ask(RunningService asked, String path) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(asked.actuator() + path))
                    .timeout(Duration.ofMinutes(2)).build(), HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    /** The sum of what the metric counts under these tags. */
    private double writes(String... tags) throws IOException, InterruptedException {
        return sum("controller_writes_total{", tags);
    }

    private double sum(String metric, String... tags) throws IOException, InterruptedException {
        return ask("/prometheus").lines().filter(line -> line.startsWith(metric)
                && List.of(tags).stream().allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    private void underWay(String name, int atLeast) {
        eventually("the rollout of " + name + " is under way", Duration.ofMinutes(2),
                () -> orZero(user.deployment(name).getStatus().getUpdatedReplicas()) >= atLeast);
    }

    @Test
    void goesOnWhereItWasWhenTheApiServerWasGoneAndSaysSoMeanwhile() throws Exception {
        user.deployments().create(user.newDeployment("web", 6));
        user.awaitComplete("web");
        user.setImage("web", "app:2");
        underWay("web", 1);
        relay.cut();
        user.deployments().create(user.newDeployment("meanwhile", 2));
        user.scale("web", 3);

        eventually("health tells which caches are not followed, and why", Duration.ofMinutes(2),
                () -> ask("/informers").contains("watch replicasets.apps"));
        assertThat(isComplete(user.deployment("web"))).isFalse();

        relay.mend();
        user.awaitComplete("web");
        user.awaitComplete("meanwhile");
        eventually("old pods are gone", Duration.ofMinutes(2), () -> user.podsLabelled("web").size() == 3);
        eventually("health tells of no failure any more", Duration.ofMinutes(2),
                () -> !ask("/informers").contains("watch replicasets.apps"));
    }

    @Test
    void repeatsWhatTheApiServerIsTooBusyForAndRetriesWhatItIsTooBrokenForAndCountsIt() throws Exception {
        Faults faults = server.faults();
        Faults.Rule busy = faults.on("create", "pods").times(3).fail(429, "too many");
        Faults.Rule broken = faults.on("update", "deployments/status").times(2).fail(500, "the disk is full");
        Faults.Rule away = faults.on("create", "replicasets").times(2).fail(503, "not now");
        user.deployments().create(user.newDeployment("web", 4));

        user.awaitComplete("web");

        assertThat(List.of(busy.hits(), broken.hits(), away.hits())).containsExactly(3, 2, 2);
        assertThat(user.podsLabelled("web")).hasSize(4);
        assertThat(writes("verb=\"update_status\"", "code=\"500\"")).isGreaterThanOrEqualTo(2);
        assertThat(writes("code=\"429\"") + writes("code=\"503\"")).isZero();
        assertThat(sum("rest_client_request_retries_total{", "verb=\"POST\"")).isGreaterThanOrEqualTo(5);
    }

    @Test
    void followsARolloutThroughWatchesThatAreCutAndAPastThatIsForgotten() {
        user.deployments().create(user.newDeployment("web", 10));
        user.awaitComplete("web");
        user.setImage("web", "app:2");
        for (int updated = 1; updated <= 9; updated += 2) {
            underWay("web", updated);
            server.faults().cutWatches();
            server.faults().compactNow();
        }

        user.awaitComplete("web");
        eventually("old pods are gone", Duration.ofMinutes(2), () -> user.podsLabelled("web").size() == 10);
    }

    @Test
    void waitsForAnApiServerThatIsSlowAndDoesNothingTwice() {
        server.faults().on("create", "pods").delay(Duration.ofMillis(400));
        server.faults().on("update", "*").delay(Duration.ofMillis(100));
        server.faults().on("watch", "pods").delay(Duration.ofMillis(700));
        server.faults().cutWatches();
        user.deployments().create(user.newDeployment("web", 3));

        user.awaitComplete("web");
        assertThat(user.podsLabelled("web")).hasSize(3);
        assertThat(user.replicaSetsOf("web")).hasSize(1);
    }

    /**
     * {@code DrainTest} holds that the sync may end; whether it ends in time or is interrupted, nothing is done
     * twice.
     */
    @Test
    void makesNoPodTwiceWhenItIsStoppedInTheMiddleOfASyncAndStartedAgain(CapturedOutput output) {
        user.deployments().create(user.newDeployment("web", 1));
        user.awaitComplete("web");
        Faults.Rule slow = server.faults().on("create", "pods").delay(Duration.ofMillis(200));
        user.scale("web", 6);
        eventually("pods are being created", Duration.ofMinutes(2), () -> slow.hits() >= 2);

        service.close();
        service = service();

        user.awaitComplete("web");
        assertThat(user.podsLabelled("web")).hasSize(6);
        assertThat(slow.hits()).as("five pods, each asked for once").isEqualTo(5);
        assertThat(output.getOut()).doesNotContain("threads that did not end");
    }

    @Test
    void saysWhichRightWasTakenAwayAndGoesOnWhenItIsGivenBack() throws Exception {
        User manager = new User("manager", "", List.of("system:authenticated"), Map.of());
        ApiServerOptions options = ApiServerOptions.defaults().withSecurity(Security.of(AuthorizationMode.RBAC,
                Map.of("manager-token", manager), ServerKeys.inMemory()));
        try (TestServer secured = TestServer.start(options, false, 1)) {
            KubeClient admin = secured.client();
            grant(admin, "others",
                    "[{apiGroups: [apps], resources: ['*'], verbs: ['*']}, {apiGroups: [''], verbs: ['*'], "
                            + "resources: [events, namespaces, resourcequotas, limitranges, serviceaccounts]}]");
            grant(admin, "pods", "[{apiGroups: [''], resources: [pods], verbs: ['*']}]");
            Path file = Files.writeString(directory.resolve("manager.kubeconfig"), secured.server().kubeconfig()
                    .replaceAll("user: \\{.*}", "user: {token: manager-token}"));
            Workloads owner = new Workloads(admin, "roles");
            try (RunningService restricted = RunningService.start(directory, "--wheelhouse.kubeconfig=" + file,
                    "--wheelhouse.controllers=deployment,replicaset", "--wheelhouse.manage=takeover")) {
                owner.deployments().create(owner.newDeployment("web", 2));
                owner.awaitComplete("web");

                admin.metadata(BINDINGS).delete(ObjectKey.cluster("pods"), Deletion.unconditional());
                secured.faults().cutWatches();
                owner.deployments().create(owner.newDeployment("second", 2));

                eventually("the service names verb and resource", Duration.ofMinutes(2),
                        () -> ask(restricted, "/informers").contains("verb watch on resource pods"));
                eventually("the ReplicaSet says why it has no pods", Duration.ofMinutes(2), () -> owner
                        .newest("second").getStatus().getConditions().get(0).getMessage().contains("cannot create"));
                assertThat(ask(restricted, "/prometheus")).containsPattern(
                        "controller_writes_total\\{.*code=\"403\".*resource=\"pods\"");

                bind(admin, "pods");
                eventually("the second is complete", Duration.ofMinutes(2),
                        () -> isComplete(owner.deployment("second")));
                eventually("health has nothing to complain of", Duration.ofMinutes(2),
                        () -> !ask(restricted, "/informers").contains("verb watch on resource pods"));
            }
        }
    }

    private static void grant(KubeClient admin, String role, String rules) {
        admin.resource(ROLES, V1ClusterRole.class)
                .create(Yaml.loadAs("{metadata: {name: %s}, rules: %s}".formatted(role, rules), V1ClusterRole.class));
        bind(admin, role);
    }

    private static void bind(KubeClient admin, String role) {
        admin.resource(BINDINGS, V1ClusterRoleBinding.class).create(Yaml.loadAs("""
                metadata: {name: %1$s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %1$s}
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: manager}]
                """.formatted(role), V1ClusterRoleBinding.class));
    }
}
