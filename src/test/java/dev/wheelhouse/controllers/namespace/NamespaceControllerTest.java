package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceControllerTest {
    private static final ObjectKey NS = ObjectKey.cluster("team");

    private final Cluster cluster = new Cluster(ResourceType.CONFIG_MAPS, ResourceType.PODS, ResourceType.SECRETS,
            ResourceType.NODES, ResourceType.NAMESPACES);
    private final NamespaceController controller = new NamespaceController(cluster.context());

    @BeforeEach
    void createNamespaces() {
        cluster.create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: team}}");
        cluster.create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: other}}");
        put(ResourceType.CONFIG_MAPS, "other", "elsewhere");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void put(ResourceType type, String namespace, String name, String... finalizers) {
        cluster.create(type, Unstructured.class, "{metadata: {namespace: %s, name: %s, finalizers: %s}}", namespace,
                name, List.of(finalizers));
    }

    private void pod(String name, String spec) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: team, name: %s}, spec: {%s, containers: [{name: app, image: app}]}}""", name,
                spec);
    }

    private void delete() {
        cluster.delete(ResourceType.NAMESPACES, NS);
        settle(Duration.ZERO);
    }

    /** Moves the clock, works, delivers, and returns the writes. */
    private List<String> settle(Duration time) {
        cluster.clock.advance(time);
        cluster.settle(controller.loops());
        return cluster.requests.takeWrites();
    }

    private Map<String, String> conditions() {
        Map<String, String> conditions = new TreeMap<>();
        cluster.json(ResourceType.NAMESPACES, NS).path("status").path("conditions")
                .forEach(c -> conditions.put(c.path("type").asString(), c.path("status").asString() + " "
                        + c.path("reason").asString() + ": " + c.path("message").asString()));
        return conditions;
    }

    @Test
    void theJournalNamesTheDeletionOfTheNamespaceAlthoughItWasDelayed() {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        settle(Duration.ZERO);
        delete();
        settle(NamespaceController.GRACE_PERIOD);

        assertThat(cluster.journal.find(entry -> true, Long.MAX_VALUE, 100)).isNotEmpty().allSatisfy(entry -> {
            assertThat(entry.sync().key()).isEqualTo("team");
            assertThat(entry.sync().origin().cause().toString()).startsWith("update of namespaces team at version ");
        });
    }

    @Test
    void aNamespaceThatIsNotBeingDeletedIsLeftAlone() {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        assertThat(settle(Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void anEmptyNamespaceGoesAfterTheGracePeriod() {
        // Every namespace has a config map, so that only one whose config maps are not discovered is empty.
        cluster.requests.hide(ResourceType.CONFIG_MAPS);
        delete();
        assertThat(settle(Duration.ofMillis(4999))).isEmpty();
        assertThat(settle(Duration.ofMillis(1))).containsExactly("update namespaces/status team",
                "update namespaces/finalize team");
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void contentGoesByTypeAndOnlyFromThisNamespace() {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        put(ResourceType.SECRETS, "team", "b");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).startsWith("deletecollection configmaps team/* Background",
                "deletecollection secrets team/* Background").endsWith("update namespaces/finalize team");
        assertThat(cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("other", "elsewhere"))).isTrue();
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void podsGoBeforeAnythingElseAndAreWaitedFor() {
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
    void itsPlanIsWhatItWouldDoNextAndDoesNothing() {
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
                "update_status namespaces team: its remaining content has changed",
                "update_finalize namespaces team: it is empty");
        assertThat(cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("team", "a"))).isTrue();
        assertThat(conditions()).isEmpty();
    }

    /** A deletion that it only observes has no end, and each look reads all content live. */
    @Test
    void anObserverLooksLessAndLessOften() {
        NamespaceController observer = new NamespaceController(cluster.context(new ControllerContext.Settings(
                (controller, preset) -> 1, Parallel.inOrder(), controller -> true, controller -> false,
                ControllerMetrics.NONE)));
        pod("web", "nodeName: node-1, terminationGracePeriodSeconds: 300");
        cluster.delete(ResourceType.NAMESPACES, NS);
        cluster.settle(observer.loops());
        cluster.clock.advance(Duration.ofSeconds(5));
        cluster.settle(observer.loops());
        cluster.requests.take();
        List<Integer> looks = new ArrayList<>();
        for (int second = 1; second <= 20; second++) {
            cluster.clock.advance(Duration.ofSeconds(1));
            cluster.settle(observer.loops());
            if (cluster.requests.take().contains("get namespaces team")) {
                looks.add(second);
            }
        }
        assertThat(looks).containsExactly(1, 3, 7, 15);
    }

    private List<String> plan() {
        return controller.plan(NS).stream().filter(Action.Write.class::isInstance).map(Action.Write.class::cast)
                .map(write -> write.verb() + " " + write.type() + " " + write.target() + ": " + write.why()).toList();
    }

    @Test
    void podsThatStayLongerThanTheirGracePeriodAreAFailure() {
        pod("stuck", "nodeName: node-1, terminationGracePeriodSeconds: 3");
        delete();
        settle(Duration.ofSeconds(5));
        assertThat(conditions().get("NamespaceDeletionContentFailure")).isEqualTo(
                "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items "
                        + "still remain "
                        + "in namespace: team for gvr: /v1, Resource=pods");
        cluster.remove(ResourceType.PODS, ObjectKey.of("team", "stuck"));
        settle(Duration.ofMinutes(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void finalizersAreNamedAndWaitedFor() {
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
    void whatIsOnItsWayIsNotToldAgain() {
        put(ResourceType.CONFIG_MAPS, "team", "a", "example.com/keep");
        delete();
        settle(Duration.ofSeconds(5));
        // The API server refuses new content by now, so this one raced the deletion of the namespace.
        cluster.store(ResourceType.CONFIG_MAPS, Manifests.configMap("late").metadata(
                new V1ObjectMeta().namespace("team").name("late").addFinalizersItem("example.com/keep")));
        assertThat(settle(Duration.ofSeconds(1))).as("a late one is told").contains(
                "deletecollection configmaps team/* Background");
        assertThat(settle(Duration.ofSeconds(8))).as("both were told").isEmpty();
    }

    @Test
    void whatWaitsForItsDependentsIsToldNotTo() {
        put(ResourceType.CONFIG_MAPS, "team", "a", "foregroundDeletion");
        cluster.delete(ResourceType.CONFIG_MAPS, ObjectKey.of("team", "a"));
        delete();
        assertThat(settle(Duration.ofSeconds(5))).contains("deletecollection configmaps team/* Background");
    }

    @Test
    void aTypeWithoutDeleteCollectionIsDeletedOneByOne() {
        put(ResourceType.SECRETS, "team", "a");
        put(ResourceType.SECRETS, "team", "b");
        cluster.requests.failNext("deletecollection secrets", 405, "MethodNotAllowed", "no");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).containsSubsequence("delete secrets team/a Background",
                "delete secrets team/b Background", "update namespaces/finalize team");
    }

    @Test
    void whatDiscoveryDoesNotShowMayStillBeThere() {
        cluster.requests.failDiscovery("example.com/v1: 503");
        put(ResourceType.CONFIG_MAPS, "team", "a");
        delete();
        assertThat(settle(Duration.ofSeconds(5))).contains("deletecollection configmaps team/* Background")
                .doesNotContain("update namespaces/finalize team");
        assertThat(conditions().get("NamespaceDeletionDiscoveryFailure")).startsWith(
                "True DiscoveryFailed: Discovery failed for some groups, 1 failing: ").endsWith("example.com/v1: 503");
        cluster.requests.failDiscovery();
        settle(Duration.ofMinutes(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void aForbiddenTypeIsSaidAndTheOthersGoOn() {
        put(ResourceType.CONFIG_MAPS, "team", "a");
        put(ResourceType.SECRETS, "team", "b");
        cluster.requests.failNext("list configmaps", 403, "Forbidden", "no");
        delete();
        List<String> writes = settle(Duration.ofSeconds(5));
        assertThat(writes).contains("deletecollection secrets team/* Background")
                .doesNotContain("update namespaces/finalize team");
        assertThat(conditions().get("NamespaceDeletionContentFailure")).contains("403 Forbidden");
        settle(Duration.ofMinutes(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }

    @Test
    void otherFinalizersOfTheNamespaceStay() {
        V1Namespace namespace = cluster.read(ResourceType.NAMESPACES, NS, V1Namespace.class);
        namespace.getSpec().addFinalizersItem("example.com/mine");
        cluster.user().resource(ResourceType.NAMESPACES, V1Namespace.class).updateSubresource(namespace, "finalize");
        delete();
        settle(Duration.ofSeconds(5));
        assertThat(cluster.json(ResourceType.NAMESPACES, NS).path("spec").path("finalizers").toString())
                .isEqualTo("[\"example.com/mine\"]");
    }

    @Test
    void aConflictIsTriedAgainFromAFreshRead() {
        cluster.requests.failNext("update namespaces/finalize team", 409, "Conflict", "changed");
        delete();
        settle(Duration.ofSeconds(5));
        settle(Duration.ofSeconds(1));
        assertThat(cluster.exists(ResourceType.NAMESPACES, NS)).isFalse();
    }
}
