package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Operators with objects in other clusters, each an embedded API server of its own. */
@Timeout(300)
class RemoteClustersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ClusterSecrets HUB = ClusterSecrets.labelled("default", LabelSelector.parse("hub=yes"))
            .owns(V1ConfigMap.class);

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    /** A ConfigMap in each cluster that a site names. */
    private final Scripted operator = new Scripted(setup -> setup.name("hub").clusters(HUB)
            .finalizer((request, context) -> Result.done()), (request, context) -> {
                try {
                    Site.Spec spec = Objects.requireNonNull(request.primary().getSpec());
                    for (String name : context.clusters()) {
                        List<V1ConfigMap> wanted = Objects.requireNonNull(spec.hosts()).contains(name)
                                ? List.of(map(String.valueOf(spec.image())))
                                : List.of();
                        wanted.forEach(context.cluster(name)::apply);
                        context.cluster(name).prune(wanted);
                    }
                    return Result.done();
                } catch (KubeApiException e) {
                    failures.add(String.valueOf(e.getMessage()));
                    throw e;
                }
            });
    private final TestServer home = TestServer.builder().crds(Site.class).operators(operator).start();
    private final TestServer north = TestServer.start();
    private final TestServer south = TestServer.start();

    @AfterEach
    void close() {
        home.close();
        north.close();
        south.close();
    }

    private static V1ConfigMap map(String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("settings")).data(Map.of("image", value));
    }

    private static V1Secret secret(String name, String kubeconfig) {
        return new V1Secret().metadata(new V1ObjectMeta().namespace("default").name(name).putLabelsItem("hub", "yes"))
                .putDataItem("kubeconfig", kubeconfig.getBytes(StandardCharsets.UTF_8));
    }

    private static String kubeconfig(TestServer of) {
        try {
            return Files.readString(of.kubeconfig());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void connect(String name, TestServer server) {
        home.user().create(secret(name, kubeconfig(server)));
    }

    private void site(String image, String... clusters) {
        Site site = new Site();
        site.setMetadata(new V1ObjectMeta().namespace("default").name("blog"));
        site.setSpec(new Site.Spec(image, 1, List.of(clusters)));
        if (home.user().find(Site.class, "default", "blog").isEmpty()) {
            home.user().create(site);
        } else {
            home.user().edit(Site.class, "default", "blog", old -> old.setSpec(site.getSpec()));
        }
    }

    private static Optional<String> image(TestServer server) {
        return server.user().find(V1ConfigMap.class, "default", "settings").map(map -> map.getData().get("image"));
    }

    private static void eventually(String what, Callable<Boolean> condition) {
        Eventually.eventually(what, PATIENCE, condition);
    }

    @Test
    void objectsInOtherClustersFollowTheirPrimaryObject() {
        connect("north", north);
        connect("south", south);
        site("a", "north", "south");
        eventually("both have it",
                () -> image(north).equals(Optional.of("a")) && image(south).equals(Optional.of("a")));
        V1ConfigMap made = north.user().get(V1ConfigMap.class, "default", "settings");
        assertThat(made.getMetadata().getOwnerReferences()).isNullOrEmpty();
        assertThat(made.getMetadata().getLabels()).containsEntry("operator.wheelhouse.dev/operator", "hub")
                .containsKey("operator.wheelhouse.dev/owner");
        assertThat(made.getMetadata().getAnnotations()).containsEntry("operator.wheelhouse.dev/primary",
                "default/blog");

        north.user().edit(V1ConfigMap.class, "default", "settings", map -> map.putDataItem("image", "changed"));
        eventually("a change there is taken back", () -> image(north).equals(Optional.of("a")));
        site("b", "north");
        eventually("what is not wanted is deleted",
                () -> image(north).equals(Optional.of("b")) && image(south).isEmpty());
        site("b", "north", "south");
        eventually("both have it", () -> image(south).equals(Optional.of("b")));
        home.user().delete(Site.class, "default", "blog");
        eventually("all go with the primary object", () -> image(north).isEmpty() && image(south).isEmpty()
                && home.user().find(Site.class, "default", "blog").isEmpty());
    }

    @Test
    void clustersComeAndGoAndALostOneStopsNoOther() {
        home.user().create(secret("south", kubeconfig(south).replaceFirst("server: .*", "server: http://127.0.0.1:1")));
        connect("north", north);
        site("a", "north", "south");
        eventually("the one that can be reached has it", () -> image(north).equals(Optional.of("a")));
        eventually("an Event says so", () -> events().stream()
                .anyMatch(event -> event.startsWith("ClusterLost") && event.contains("127.0.0.1:1")));
        assertThat(failures).isEmpty();

        home.user().delete(Site.class, "default", "blog");
        eventually("the clean-up waits", () -> failures.isEmpty() && image(north).isEmpty());
        assertThat(home.user().find(Site.class, "default", "blog")).isPresent();
        home.user().edit(V1Secret.class, "default", "south", secret -> secret.putDataItem("kubeconfig",
                kubeconfig(south).getBytes(StandardCharsets.UTF_8)));
        eventually("it can be reached again", () -> home.user().find(Site.class, "default", "blog").isEmpty());

        site("b", "north", "south");
        eventually("both have it",
                () -> image(north).equals(Optional.of("b")) && image(south).equals(Optional.of("b")));
        home.user().delete(V1Secret.class, "default", "south");
        site("c", "north", "south");
        eventually("the other one goes on", () -> image(north).equals(Optional.of("c")));
        assertThat(image(south)).as("nothing is deleted in a cluster that left").contains("b");
        connect("south", south);
        eventually("it is back", () -> image(south).equals(Optional.of("c")));
    }

    private List<String> events() {
        return home.user().all(CoreV1Event.class, "default").stream()
                .map(event -> event.getReason() + " " + event.getMessage()).toList();
    }

    @Test
    @Tag("full")
    void aConnectedClusterThatIsLostIsSaid() {
        connect("north", north);
        connect("south", south);
        site("a", "north", "south");
        eventually("both have it",
                () -> image(north).equals(Optional.of("a")) && image(south).equals(Optional.of("a")));
        south.close();
        eventually("an Event says so", () -> events().stream().anyMatch(event -> event.startsWith("ClusterLost")));
        failures.clear();
        site("b", "north", "south");
        eventually("the other one goes on", () -> image(north).equals(Optional.of("b")));
        assertThat(failures).isEmpty();
    }

    @Test
    void anObjectOfSomebodyElseIsLeftAlone() {
        north.user().create(map("theirs").metadata(new V1ObjectMeta().namespace("default").name("settings")));
        connect("north", north);
        site("a", "north");
        eventually("it is refused", () -> failures.stream().anyMatch(message -> message.contains("in the cluster north")
                && message.contains("does not belong to Site default/blog")));
        assertThat(image(north)).contains("theirs");
    }

    @Test
    void aKubeconfigThatReachesOutOfItselfIsRefusedAndStopsNoOther() {
        home.user().create(secret("nothing", "current-context: x"));
        home.user().create(secret("files", kubeconfig(north).replaceFirst("(\\s+)server:",
                "$1certificate-authority: /etc/hosts$1server:")));
        eventually("both are refused", () -> events().stream().filter(event -> event.startsWith("ClusterLost"))
                .anyMatch(event -> event.contains("field certificate-authority of the cluster"))
                && events().stream().anyMatch(event -> event.contains("has no context \"x\"")));
        connect("north", north);
        site("a", "north", "files");
        eventually("the good one has it", () -> image(north).equals(Optional.of("a")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoMayNotWriteWritesNothingThereEither(boolean observes) {
        List<String> errors = new ArrayList<>();
        List<String> applied = new ArrayList<>();
        Scripted watching = new Scripted(setup -> setup.name("hub").clusters(HUB)
                .finalizer((request, context) -> Result.done()));
        watching.does((request, context) -> {
            for (String name : context.clusters()) {
                try {
                    applied.add(context.cluster(name).apply(map("a")).getMetadata().getName());
                } catch (KubeApiException e) {
                    errors.add(String.valueOf(e.getMessage()));
                }
            }
        });
        try (OperatorWorld world = new OperatorWorld(watching)) {
            world.restart(() -> world.cluster.context(new ControllerContext.Settings((name, preset) -> 1,
                    Parallel.inOrder(), name -> observes, name -> false, ControllerMetrics.NONE)));
            world.cluster.create(ResourceType.SECRETS, secret("north", kubeconfig(north)));
            world.createSite("{metadata: {name: blog, namespace: default, finalizers: [example.com/hub]}, "
                    + "spec: {replicas: 1}}");
            eventually("it has tried", () -> {
                world.settle();
                world.cluster.clock.advance(Duration.ofSeconds(5));
                return !errors.isEmpty() || !applied.isEmpty();
            });
        }
        assertThat(String.join(" ", errors)).contains(observes ? "" : "this process no longer leads");
        assertThat(applied).isEqualTo(observes ? applied : List.of());
        assertThat(image(north)).isEmpty();
    }

    @Test
    void aNewProcessSendsNothingToClustersOfClusterApiWhereEverythingIsAsItWas() {
        Scripted writing = new Scripted(setup -> setup.name("hub")
                .clusters(ClusterSecrets.ofClusterApi("default").owns(V1ConfigMap.class))
                .finalizer((request, context) -> Result.done()));
        List<String> versions = new ArrayList<>();
        writing.does((request, context) -> {
            for (String name : context.clusters()) {
                versions.add(name + context.cluster(name).apply(map("a")).getMetadata().getResourceVersion());
                assertThat(context.cluster(name).owned(V1ConfigMap.class)).hasSizeLessThan(2);
            }
        });
        try (OperatorWorld world = new OperatorWorld(writing)) {
            V1Secret secret = secret("edge-kubeconfig", "").type("cluster.x-k8s.io/secret")
                    .data(Map.of("value", kubeconfig(north).getBytes(StandardCharsets.UTF_8)));
            world.cluster.create(ResourceType.SECRETS, secret);
            world.cluster.create(ResourceType.SECRETS, secret("other-kubeconfig", ""));
            world.createSite("{metadata: {name: blog, namespace: default}, spec: {replicas: 1}}");
            for (int process = 0; process < 2; process++) {
                versions.clear();
                eventually("it has applied it", () -> {
                    world.settle();
                    world.cluster.clock.advance(Duration.ofSeconds(5));
                    return !versions.isEmpty();
                });
                assertThat(world.cluster.journal.find(entry -> entry.type().equals(ResourceType.CONFIG_MAPS),
                        Long.MAX_VALUE, 10)).as("one write, by the first process").hasSize(1);
                world.restart();
            }
            assertThat(versions).allMatch(version -> version.startsWith("edge"));
        }
        assertThat(north.user().get(V1ConfigMap.class, "default", "settings").getMetadata().getResourceVersion())
                .isEqualTo(versions.getLast().substring("edge".length()));
    }

    @Test
    void theDeclarationIsChecked() {
        assertThatThrownBy(() -> Declaration.of(new Scripted(setup -> setup.clusters(HUB))))
                .hasMessageContaining("add setup.finalizer");
        assertThat(ClusterSecrets.ofClusterApi("fleet").isCluster(secret("edge-ca", ""))).isFalse();
        assertThat(ClusterSecrets.ofClusterApi("fleet").clusterOf(secret("edge-kubeconfig", ""))).isEqualTo("edge");
        assertThat(Manifests.of(operator).yaml()).contains("- secrets");
    }
}
