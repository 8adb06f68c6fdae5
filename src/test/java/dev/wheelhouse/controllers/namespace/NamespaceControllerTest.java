package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.fake.FakeCluster;
import dev.wheelhouse.fake.FakeInformers;
import dev.wheelhouse.fake.Stepped;
import dev.wheelhouse.world.Yaml;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceControllerTest {
    private static final ObjectKey NS = ObjectKey.cluster("team");

    private final ManualClock clock = new ManualClock();
    private final FakeCluster cluster = new FakeCluster(clock, ResourceType.CONFIG_MAPS, ResourceType.PODS,
            ResourceType.SECRETS, ResourceType.NODES, ResourceType.NAMESPACES);
    private final FakeInformers informers = new FakeInformers(cluster);
    private NamespaceController controller;

    @BeforeEach
    void start() {
        controller = new NamespaceController(new DefaultControllerContext(cluster, informers, clock,
                component -> EventRecorder.NONE, DefaultControllerContext.Settings.stepped()));
        cluster.put(ResourceType.NAMESPACES, Yaml.read(
                "{metadata: {name: team}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}",
                V1Namespace.class));
        put(ResourceType.CONFIG_MAPS, "other", "elsewhere");
    }

    private void put(ResourceType type, String namespace, String name, String... finalizers) {
        PartialObjectMetadata object = new PartialObjectMetadata();
        object.setMetadata(new V1ObjectMeta().namespace(namespace).name(name).finalizers(List.of(finalizers)));
        cluster.put(type, object);
    }

    private void pod(String name, String spec) {
        cluster.put(ResourceType.PODS,
                Yaml.read("{metadata: {namespace: team, name: %s}, spec: {%s}}".formatted(name, spec), V1Pod.class));
    }

    private void delete() throws InterruptedException {
        cluster.resource(ResourceType.NAMESPACES, V1Namespace.class).delete(NS, Deletion.unconditional());
        settle(Duration.ZERO);
    }

    /** Moves the clock, works, delivers, and returns the writes. */
    private List<String> settle(Duration time) throws InterruptedException {
        clock.advance(time);
        Stepped.settle(informers, controller.loops());
        return cluster.takeWrites();
    }

    private Map<String, String> conditions() {
        Map<String, String> conditions = new TreeMap<>();
        cluster.json(ResourceType.NAMESPACES, NS).path("status").path("conditions")
                .forEach(c -> conditions.put(c.path("type").asString(), c.path("status").asString() + " "
                        + c.path("reason").asString() + ": " + c.path("message").asString()));
        return conditions;
    }

    @Test
    void aNamespaceThatIsNotBeingDeletedIsLeftAlone() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        assertThat(settle(Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void anEmptyNamespaceGoesAfterTheGracePeriod() throws InterruptedException {
        delete();
        assertThat(settle(Duration.ofMillis(4999))).isEmpty();
        assertThat(settle(Duration.ofMillis(1))).containsExactly("update namespaces/status team",
                "update namespaces/finalize team");
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void contentGoesByTypeAndOnlyFromThisNamespace() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        put(ResourceType.SECRETS, "team", "b");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).startsWith("deletecollection configmaps team/* Background",
                "deletecollection secrets team/* Background").endsWith("update namespaces/finalize team");
        assertThat(cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("other", "elsewhere"))).isTrue();
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void podsGoBeforeAnythingElseAndAreWaitedFor() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        pod("web", "nodeName: node-1, terminationGracePeriodSeconds: 30");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).containsExactly("deletecollection pods team/* Background",
                "update namespaces/status team");
        assertThat(cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("team", "a"))).isTrue();
        assertThat(conditions()).containsEntry("NamespaceContentRemaining",
                "True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances")
                .containsEntry("NamespaceDeletionContentFailure",
                        "False ContentDeleted: All content successfully deleted, may be waiting on finalization")
                .containsEntry("NamespaceDeletionDiscoveryFailure",
                        "False ResourcesDiscovered: All resources successfully discovered");
        cluster.remove(ResourceType.PODS, ObjectKey.of("team", "web"));
        assertThat(settle(Duration.ofSeconds(1))).containsExactly("deletecollection configmaps team/* Background",
                "update namespaces/status team", "update namespaces/finalize team");
    }

    @Test
    void itsPlanIsWhatItWouldDoNextAndDoesNothing() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        assertThat(controller.plan(NS)).as("it is not being deleted").isEmpty();
        pod("web", "nodeName: node-1, terminationGracePeriodSeconds: 30");
        delete();

        assertThat(plan()).containsExactly(
                "deletecollection pods team/*: its namespace is being deleted",
                "update_status namespaces team: its remaining content has changed");

        cluster.remove(ResourceType.PODS, ObjectKey.of("team", "web"));
        assertThat(plan()).containsExactly(
                "deletecollection configmaps team/*: its namespace is being deleted",
                "update_status namespaces team: its remaining content has changed");
        assertThat(cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("team", "a"))).isTrue();
        assertThat(conditions()).isEmpty();
    }

    private List<String> plan() {
        return controller.plan(NS).stream().map(Action.Write.class::cast)
                .map(write -> write.verb() + " " + write.type() + " " + write.target() + ": " + write.why()).toList();
    }

    @Test
    void podsThatStayLongerThanTheirGracePeriodAreAFailure() throws InterruptedException {
        pod("stuck", "nodeName: node-1, terminationGracePeriodSeconds: 3");
        delete();
        settle(Duration.ofSeconds(5));
        assertThat(conditions().get("NamespaceDeletionContentFailure")).isEqualTo(
                "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain "
                        + "in namespace: team for gvr: /v1, Resource=pods");
        cluster.remove(ResourceType.PODS, ObjectKey.of("team", "stuck"));
        settle(Duration.ofMinutes(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void finalizersAreNamedAndWaitedFor() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a", "example.com/keep");
        put(ResourceType.CONFIG_MAPS, "team", "b", "example.com/keep", "example.com/other");
        delete();
        settle(Duration.ofSeconds(5));
        assertThat(conditions()).containsEntry("NamespaceFinalizersRemaining",
                "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
                        + "example.com/keep in 2 resource instances, example.com/other in 1 resource instances")
                .containsEntry("NamespaceContentRemaining",
                        "True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances");
        assertThat(settle(Duration.ofSeconds(1))).as("what has not changed is not written again").isEmpty();
        cluster.remove(ResourceType.CONFIG_MAPS, ObjectKey.of("team", "a"));
        cluster.remove(ResourceType.CONFIG_MAPS, ObjectKey.of("team", "b"));
        settle(Duration.ofSeconds(8));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void whatIsOnItsWayIsNotToldAgain() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a", "example.com/keep");
        delete();
        settle(Duration.ofSeconds(5));
        put(ResourceType.CONFIG_MAPS, "team", "late", "example.com/keep");
        assertThat(settle(Duration.ofSeconds(1))).as("a late one is told").contains(
                "deletecollection configmaps team/* Background");
        assertThat(settle(Duration.ofSeconds(8))).as("both were told").isEmpty();
    }

    @Test
    void whatWaitsForItsDependentsIsToldNotTo() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a", "foregroundDeletion");
        cluster.resource(ResourceType.CONFIG_MAPS, PartialObjectMetadata.class).delete(ObjectKey.of("team", "a"),
                Deletion.unconditional());
        delete();
        assertThat(settle(Duration.ofSeconds(5))).contains("deletecollection configmaps team/* Background");
    }

    @Test
    void aTypeWithoutDeleteCollectionIsDeletedOneByOne() throws InterruptedException {
        put(ResourceType.SECRETS, "team", "a");
        put(ResourceType.SECRETS, "team", "b");
        cluster.failNext("deletecollection secrets", 405, "MethodNotAllowed", "no");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).containsSubsequence("delete secrets team/a Background",
                "delete secrets team/b Background", "update namespaces/finalize team");
    }

    @Test
    void whatDiscoveryDoesNotShowMayStillBeThere() throws InterruptedException {
        cluster.failDiscovery("example.com/v1: 503");
        put(ResourceType.CONFIG_MAPS, "team", "a");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).contains("deletecollection configmaps team/* Background")
                .doesNotContain("update namespaces/finalize team");
        assertThat(conditions().get("NamespaceDeletionDiscoveryFailure")).startsWith(
                "True DiscoveryFailed: Discovery failed for some groups, 1 failing: ").endsWith("example.com/v1: 503");
        cluster.failDiscovery();
        settle(Duration.ofMinutes(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void aForbiddenTypeIsSaidAndTheOthersGoOn() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        put(ResourceType.SECRETS, "team", "b");
        cluster.failNext("list configmaps", 403, "Forbidden", "no");
        delete();
        List<String> writes = settle(Duration.ofSeconds(5));
        assertThat(writes).contains("deletecollection secrets team/* Background")
                .doesNotContain("update namespaces/finalize team");
        assertThat(conditions().get("NamespaceDeletionContentFailure")).contains("403 Forbidden");
        settle(Duration.ofMinutes(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void otherFinalizersOfTheNamespaceStay() throws InterruptedException {
        cluster.put(ResourceType.NAMESPACES, Yaml.read(
                "{metadata: {name: team}, spec: {finalizers: [kubernetes, example.com/mine]}, status: {phase: Active}}",
                V1Namespace.class));
        delete();
        settle(Duration.ofSeconds(5));
        assertThat(cluster.json(ResourceType.NAMESPACES, NS).path("spec").path("finalizers").toString())
                .isEqualTo("[\"example.com/mine\"]");
    }

    @Test
    void aConflictIsTriedAgainFromAFreshRead() throws InterruptedException {
        cluster.failNext("update namespaces/finalize team", 409, "Conflict", "changed");
        delete();
        settle(Duration.ofSeconds(5));
        settle(Duration.ofSeconds(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }
}
