package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Operators whose namespaces come and go. */
@Isolated
class ChosenNamespacesTest {
    private static final Set<String> TENANTS = Set.of("red", "blue");

    private final Set<String> named = new TreeSet<>();
    private final Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class)
            .namespaces(LabelSelector.parse("tenant=yes")));
    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private OperatorWorld start(Operator<?> started) {
        OperatorWorld world = new OperatorWorld(started, cluster -> TENANTS.forEach(name -> cluster
                .create(ResourceType.NAMESPACES, new V1Namespace().metadata(new V1ObjectMeta().name(name)))));
        running = world;
        TENANTS.forEach(name -> world.createSite(
                "{metadata: {name: of-%s, namespace: %1$s}, spec: {image: a, replicas: 1}}".formatted(name)));
        return world.settle();
    }

    private static void label(OperatorWorld world, String namespace, @Nullable String value) {
        world.cluster.user().resource(ResourceType.NAMESPACES, V1Namespace.class).patch(ObjectKey.cluster(namespace),
                "", PatchType.MERGE, "{\"metadata\": {\"labels\": {\"tenant\": %s}}}"
                        .formatted(value == null ? "null" : "\"" + value + "\""));
    }

    private static void change(OperatorWorld world, String namespace, String image) {
        world.cluster.edit(SITES, Site.class, ObjectKey.of(namespace, "of-" + namespace),
                site -> site.setSpec(new Site.Spec(image, 1, null)));
        world.settle();
    }

    private static void pass(OperatorWorld world, int seconds) {
        world.cluster.clock.advance(Duration.ofSeconds(seconds));
        world.settle();
    }

    private static V1ConfigMap wanted(Site site) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("settings"))
                .data(Map.of("image", Objects.requireNonNull(Objects.requireNonNull(site.getSpec()).image())));
    }

    @Test
    void cachesFollowTheLabelsOfNamespacesAndNothingIsDeletedWhenOneLeaves() {
        List<Integer> owned = new ArrayList<>();
        operator.does((request, context) -> {
            owned.add(context.related().all(V1ConfigMap.class).size());
            context.apply(wanted(request.primary()));
        });
        OperatorWorld world = start(operator);
        assertThat(operator.takeCalls()).isEmpty();
        label(world, "red", "yes");
        world.settle();
        assertThat(Set.copyOf(operator.takeCalls())).containsExactly("of-red");
        assertThat(world.writes()).containsExactly("apply configmaps red/settings");
        label(world, "red", null);
        label(world, "blue", "yes");
        world.settle();
        assertThat(Set.copyOf(operator.takeCalls())).containsExactly("of-blue");
        change(world, "red", "b");
        assertThat(operator.takeCalls()).as("red has left").isEmpty();
        assertThat(world.writes()).containsExactly("apply configmaps blue/settings");
        assertThat(world.cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("red", "settings"))).isTrue();
        owned.clear();
        label(world, "red", "yes");
        world.settle();
        assertThat(operator.takeCalls()).contains("of-red");
        assertThat(owned).as("the primary objects appear when everything else is there").containsOnly(1);
        assertThat(world.writes()).containsExactly("apply configmaps red/settings");
    }

    @Test
    void aRunThatIsUnderWayWhenItsNamespaceLeavesWritesNothingMore() {
        OperatorWorld world = start(operator);
        List<String> problems = new ArrayList<>();
        operator.does((request, context) -> {
            context.apply(wanted(request.primary()));
            context.condition("Seen", true, "Seen", "");
            if (problems.isEmpty()) {
                label(world, "red", null);
                world.cluster.deliver();
                Cluster.work(world.controller.loops().stream().filter(NamespaceLoop.class::isInstance).toList());
                assertThat(context.related().all(V1ConfigMap.class)).isEmpty();
                for (Runnable write : List.<Runnable>of(() -> context.apply(wanted(request.primary())),
                        () -> context.status(Site.Status.ready(0)),
                        () -> context.live(V1ConfigMap.class).create(wanted(request.primary())))) {
                    assertThatThrownBy(write::run).isInstanceOf(KubeApiException.class)
                            .hasMessageContaining("the namespace red has left the operator");
                }
                problems.add("left");
            }
        });
        label(world, "red", "yes");
        world.settle();
        assertThat(problems).hasSize(1);
        world.writes();
        operator.takeCalls();
        world.settle(Duration.ofMinutes(1));
        assertThat(operator.takeCalls()).as("the key is forgotten").isEmpty();
        assertThat(world.writes()).isEmpty();
        label(world, "red", "yes");
        world.settle();
        assertThat(Set.copyOf(operator.takeCalls())).containsExactly("of-red");
        assertThat(world.writes()).as("everything is as it was").isEmpty();
    }

    @Test
    void aCleanUpDoesNotRunForWhatHasLeftAndRunsWhenItIsBack() {
        List<String> cleaned = new ArrayList<>();
        Scripted cleaning = new Scripted(setup -> setup.namespaces(LabelSelector.parse("tenant=yes"))
                .finalizer("example.com/test", (request, context) -> {
                    cleaned.add(request.key().toString());
                    return Result.done();
                }));
        OperatorWorld world = start(cleaning);
        label(world, "red", "yes");
        world.settle();
        label(world, "red", null);
        world.settle();
        world.cluster.delete(SITES, ObjectKey.of("red", "of-red"));
        world.settle();
        assertThat(cleaned).isEmpty();
        label(world, "red", "yes");
        world.settle();
        assertThat(cleaned).containsExactly("red/of-red");
        assertThat(world.cluster.exists(SITES, ObjectKey.of("red", "of-red"))).isFalse();
    }

    @Test
    void aDeletedNamespaceLeavesAndItsCachesEnd() {
        operator.does((request, context) -> context.apply(wanted(request.primary())));
        OperatorWorld world = start(operator);
        int idle = world.cluster.informers().informers().size();
        TENANTS.forEach(name -> label(world, name, "yes"));
        world.settle();
        assertThat(world.cluster.informers().states()).hasSize(idle + 4);
        world.cluster.delete(ResourceType.NAMESPACES, ObjectKey.cluster("red"));
        world.settle();
        assertThat(world.cluster.informers().states()).as("while it terminates, clean-ups run").hasSize(idle + 4);
        V1Namespace red = world.cluster.read(ResourceType.NAMESPACES, ObjectKey.cluster("red"), V1Namespace.class);
        Objects.requireNonNull(red.getSpec()).setFinalizers(List.of());
        world.cluster.user().resource(ResourceType.NAMESPACES, V1Namespace.class).updateSubresource(red, "finalize");
        world.settle();
        assertThat(world.cluster.informers().states()).hasSize(idle + 2);
        assertThat(world.controller.problems()).isEmpty();
        assertThat(world.cluster.informers().states()).extracting(state -> state.namespace()).contains("blue")
                .doesNotContain("red");
    }

    @Test
    void aFunctionNamesThemAndAFailureOfItChangesNothing() {
        Scripted byName = new Scripted(setup -> setup.owns(V1ConfigMap.class).namespaces(() -> {
            if (named.contains("down")) {
                throw new IllegalStateException("the list is down");
            }
            return named;
        }));
        named.add("down");
        try (Logged log = Logged.by(NamespaceLoop.class.getName())) {
            OperatorWorld world = start(byName);
            assertThat(world.controller.problems()).containsExactly("scripted has not opened its namespaces yet: it "
                    + "keeps its namespaces, because their names are not known: java.lang.IllegalStateException: the "
                    + "list is down");
            named.clear();
            named.addAll(Set.of("red", "", "not/a/name", "nowhere"));
            pass(world, 10);
            assertThat(Set.copyOf(byName.takeCalls())).containsExactly("of-red");
            assertThat(world.controller.problems()).isEmpty();
            named.add("blue");
            pass(world, 9);
            named.add("down");
            pass(world, 30);
            change(world, "red", "b");
            assertThat(byName.takeCalls()).contains("of-red");
            assertThat(log.lines()).contains("WARN scripted leaves out [, not/a/name], which are no names of namespaces"
                    + " (setup.namespaces)", "INFO scripted works in the namespaces nowhere, red")
                    .filteredOn(line -> line.contains("keeps")).hasSize(2);
        }
    }

    @Test
    void objectsOutsideOfTheChosenNamespacesAreNotWritten() {
        operator.does((request, context) -> context.applyUnowned(
                new V1ConfigMap().metadata(new V1ObjectMeta().name("settings").namespace("blue"))));
        OperatorWorld world = start(operator);
        label(world, "red", "yes");
        world.settle();
        assertThat(world.writes()).isEmpty();
        assertThat(operator.takeCalls()).contains("of-red");
    }

    @Test
    void theNamespacesAreDeclaredOnce() {
        assertThatThrownBy(() -> Declaration.of(new Scripted(setup -> setup.namespaces(() -> named)
                .namespaces(LabelSelector.everything()))))
                .hasMessageContaining("setup.namespaces is declared twice");
    }

    @Test
    void rightsInTheNamespacesAreARoleWithoutABinding() {
        String yaml = Manifests.of(operator).namespace("operators").name("sites").yaml();
        assertThat(yaml).contains("name: sites-namespaces").contains("""
                - apiGroups:
                  - ""
                  resources:
                  - namespaces
                  verbs:
                  - get
                  - list
                  - watch
                """);
        assertThat(yaml.split("kind: RoleBinding", -1)).as("the one of the Lease").hasSize(2);
        assertThat(yaml.split("kind: ClusterRoleBinding", -1)).hasSize(2);
    }
}
