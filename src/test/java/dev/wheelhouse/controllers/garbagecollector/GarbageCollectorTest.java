package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.fake.FakeCluster;
import dev.wheelhouse.fake.FakeInformers;
import dev.wheelhouse.fake.Stepped;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class GarbageCollectorTest {
    private static final ResourceType DEFINITIONS = new ResourceType("apiextensions.k8s.io", "v1",
            "customresourcedefinitions", "CustomResourceDefinition", false);
    private static final ResourceType WIDGETS = new ResourceType("example.com", "v1", "widgets", "Widget", true);

    private final ManualClock clock = new ManualClock();
    private final FakeCluster cluster = new FakeCluster(clock, ResourceType.PODS, ResourceType.REPLICA_SETS,
            ResourceType.DEPLOYMENTS, ResourceType.NODES, ResourceType.EVENTS, ResourceType.CONFIG_MAPS);
    private final FakeInformers informers = new FakeInformers(cluster);
    private final List<String> events = new ArrayList<>();
    private GarbageCollector collector;

    @BeforeEach
    void start() {
        collector = new GarbageCollector(new DefaultControllerContext(cluster, informers, clock,
                component -> (type, object, fieldPath, eventType, reason, message) -> events
                        .add(reason + " " + object.getMetadata().getName() + ": " + message),
                DefaultControllerContext.Settings.stepped()));
    }

    private ObjectKey put(ResourceType type, String name, V1OwnerReference... owners) {
        PartialObjectMetadata object = new PartialObjectMetadata();
        object.setMetadata(new V1ObjectMeta().name(name).namespace(type.namespaced() ? "default" : null)
                .uid("uid-" + name).ownerReferences(owners.length == 0 ? null : List.of(owners)));
        cluster.put(type, object);
        return new ObjectKey(type.namespaced() ? "default" : "", name);
    }

    private static V1OwnerReference by(ResourceType type, String name) {
        return new V1OwnerReference().apiVersion(type.apiVersion()).kind(type.kind()).name(name).uid("uid-" + name)
                .controller(true).blockOwnerDeletion(true);
    }

    private void work() throws InterruptedException {
        Stepped.work(collector.loops());
    }

    /** Works and delivers until nothing happens, with enough time for delayed keys. */
    private List<String> settle() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            work();
            informers.deliver();
            clock.advance(Duration.ofMillis(150));
        }
        work();
        return cluster.takeWrites();
    }

    private void deployment() throws InterruptedException {
        put(ResourceType.DEPLOYMENTS, "web");
        put(ResourceType.REPLICA_SETS, "rs", by(ResourceType.DEPLOYMENTS, "web"));
        put(ResourceType.PODS, "p1", by(ResourceType.REPLICA_SETS, "rs"));
        put(ResourceType.PODS, "p2", by(ResourceType.REPLICA_SETS, "rs"));
        assertThat(settle()).as("nothing is garbage yet").isEmpty();
    }

    private void delete(ResourceType type, String name, String policy) {
        cluster.metadata(type).delete(ObjectKey.of("default", name), Deletion.unconditional().withPropagation(policy));
        cluster.takeRequests();
    }

    private boolean exists(ResourceType type, String name) {
        return cluster.exists(type, ObjectKey.of("default", name));
    }

    @Test
    void aDeletedDeploymentTakesReplicaSetsAndPodsWithIt() throws InterruptedException {
        deployment();
        delete(ResourceType.DEPLOYMENTS, "web", "Background");
        assertThat(settle()).containsExactly("delete replicasets.apps default/rs Background uid=uid-rs rv",
                "delete pods default/p1 Background uid=uid-p1 rv", "delete pods default/p2 Background uid=uid-p2 rv");
        assertThat(collector.objects()).isZero();
    }

    @Test
    void deletedInTheForegroundTheOwnerGoesLast() throws InterruptedException {
        deployment();
        delete(ResourceType.DEPLOYMENTS, "web", "Foreground");
        List<String> writes = settle();
        assertThat(writes).hasSize(5);
        assertThat(writes.get(0)).isEqualTo("delete replicasets.apps default/rs Foreground uid=uid-rs rv");
        assertThat(writes.subList(1, 3)).allMatch(w -> w.startsWith("delete pods default/p"));
        assertThat(writes.get(3)).startsWith("patch replicasets.apps default/rs ").contains("\"finalizers\":[]");
        assertThat(writes.get(4)).startsWith("patch deployments.apps default/web ").contains("\"finalizers\":[]");
        assertThat(collector.objects()).isZero();
    }

    @Test
    void orphanedPodsSurviveTheirReplicaSet() throws InterruptedException {
        deployment();
        delete(ResourceType.REPLICA_SETS, "rs", "Orphan");
        List<String> writes = settle();
        assertThat(writes).hasSize(3);
        assertThat(writes.subList(0, 2)).allMatch(w -> w.startsWith("patch pods default/p") && w.contains("$patch"));
        assertThat(writes.get(2)).startsWith("patch replicasets.apps default/rs ");
        assertThat(exists(ResourceType.REPLICA_SETS, "rs")).isFalse();
        assertThat(exists(ResourceType.PODS, "p1")).isTrue();
        assertThat(cluster.json(ResourceType.PODS, ObjectKey.of("default", "p1")).path("metadata")
                .path("ownerReferences").isEmpty()).isTrue();
    }

    @Test
    void aPodWhoseOwnerNeverExistedIsDeletedAfterALiveLook() throws InterruptedException {
        put(ResourceType.PODS, "stray", by(ResourceType.REPLICA_SETS, "ghost"));
        assertThat(settle()).containsExactly("delete pods default/stray Background uid=uid-stray rv");
    }

    @Test
    void aPodWhoseOwnerTheCacheDoesNotShowYetStays() throws InterruptedException {
        informers.makeUnavailable(ResourceType.REPLICA_SETS);
        put(ResourceType.REPLICA_SETS, "rs");
        put(ResourceType.PODS, "p1", by(ResourceType.REPLICA_SETS, "rs"));
        settle();
        clock.advance(Duration.ofSeconds(40));
        assertThat(settle()).isEmpty();
        assertThat(collector.isReady()).isTrue();
        assertThat(collector.typesNotSynced()).singleElement().asString().contains("replicasets.apps")
                .contains("403 Forbidden");
        assertThat(exists(ResourceType.PODS, "p1")).isTrue();
        cluster.remove(ResourceType.REPLICA_SETS, ObjectKey.of("default", "rs"));
        clock.advance(Duration.ofSeconds(30));
        assertThat(settle()).as("its owner is watched by nobody, so it is looked at now and then")
                .containsExactly("delete pods default/p1 Background uid=uid-p1 rv");
    }

    @Test
    void waitsForTypesThatAreLateButNotForEver() throws InterruptedException {
        informers.makeUnavailable(ResourceType.CONFIG_MAPS);
        put(ResourceType.PODS, "stray", by(ResourceType.REPLICA_SETS, "ghost"));
        assertThat(settle()).isEmpty();
        assertThat(collector.isReady()).isFalse();
        clock.advance(Duration.ofSeconds(30));
        assertThat(settle()).hasSize(1);
    }

    @Test
    void anOwnerInAnotherNamespaceIsRefusedWithAnEvent() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "owner");
        settle();
        PartialObjectMetadata stranger = new PartialObjectMetadata();
        stranger.setMetadata(new V1ObjectMeta().namespace("other").name("stranger").uid("uid-stranger")
                .ownerReferences(List.of(by(ResourceType.CONFIG_MAPS, "owner"))));
        cluster.put(ResourceType.PODS, stranger);
        assertThat(settle()).containsExactly("delete pods other/stranger Background uid=uid-stranger rv");
        assertThat(events)
                .containsExactly("OwnerRefInvalidNamespace stranger: ownerRef [v1/ConfigMap, namespace: other,"
                        + " name: owner, uid: uid-owner] does not exist in namespace \"other\"");
    }

    @Test
    void eventsAreNotFollowed() throws InterruptedException {
        settle();
        assertThat(informers.hasInformer(ResourceType.EVENTS)).isFalse();
        assertThat(informers.hasInformer(ResourceType.PODS)).isTrue();
        assertThat(informers.startedNew()).isEqualTo(1);
    }

    @Test
    void itsPlanIsWhatItWouldDoAndWhyAndDoesNothing() throws InterruptedException {
        settle();
        put(ResourceType.PODS, "p1", by(ResourceType.REPLICA_SETS, "gone"));
        put(ResourceType.PODS, "free");
        informers.deliver();
        List<Action> plan = collector.plan("pods", ObjectKey.of("default", "p1")).orElseThrow();
        assertThat(plan).singleElement().isInstanceOfSatisfying(Action.Delete.class, delete -> {
            assertThat(delete.target()).isEqualTo(ObjectKey.of("default", "p1"));
            assertThat(delete.why()).isEqualTo("none of its owners exists");
        });
        assertThat(collector.plan("pods", ObjectKey.of("default", "free"))).hasValue(List.of());
        assertThat(collector.plan("pods", ObjectKey.of("default", "none"))).isEmpty();
        assertThat(collector.plan("secrets", ObjectKey.of("default", "p1"))).isEmpty();
        assertThat(exists(ResourceType.PODS, "p1")).isTrue();
        settle();
        assertThat(exists(ResourceType.PODS, "p1")).as("it then does so").isFalse();
    }

    @Test
    void thePlanForAnOrphaningOwnerIsToLetItsDependentsGo() throws InterruptedException {
        deployment();
        cluster.metadata(ResourceType.REPLICA_SETS).delete(ObjectKey.of("default", "rs"),
                Deletion.unconditional().withPropagation("Orphan"));
        List<Action> plan = collector.plan("replicasets.apps", ObjectKey.of("default", "rs")).orElseThrow();
        assertThat(plan).singleElement().isInstanceOfSatisfying(Action.Batch.class, batch -> assertThat(batch.writes())
                .extracting(Action.Write::why).containsExactly("its owner is deleted and orphans it",
                        "its owner is deleted and orphans it"));
    }

    @Test
    void customResourcesComeAndGo() throws InterruptedException {
        settle();
        put(ResourceType.PODS, "p1", by(WIDGETS, "w"));
        assertThat(settle()).as("the owner's kind is not known").isEmpty();
        cluster.addType(WIDGETS);
        ObjectKey widget = put(WIDGETS, "w");
        clock.advance(Duration.ofSeconds(30));
        assertThat(settle()).isEmpty();
        assertThat(informers.hasInformer(WIDGETS)).isTrue();
        cluster.remove(WIDGETS, widget);
        assertThat(settle()).containsExactly("delete pods default/p1 Background uid=uid-p1 rv");
        cluster.removeType(WIDGETS);
        clock.advance(Duration.ofSeconds(30));
        settle();
        assertThat(informers.hasInformer(WIDGETS)).isFalse();
    }

    @Test
    void aTypeIsFollowedSoonAfterItsDefinitionAlthoughDiscoveryShowsItLate() throws InterruptedException {
        cluster.addType(DEFINITIONS);
        settle();
        PartialObjectMetadata definition = new PartialObjectMetadata();
        definition.setMetadata(new V1ObjectMeta().name("widgets.example.com").uid("uid-crd"));
        cluster.put(DEFINITIONS, definition);
        settle();
        assertThat(informers.hasInformer(WIDGETS)).isFalse();
        cluster.addType(WIDGETS);

        settle();

        assertThat(informers.hasInformer(WIDGETS)).as("6 s after the definition came").isTrue();
        cluster.remove(DEFINITIONS, ObjectKey.cluster("widgets.example.com"));
        cluster.removeType(WIDGETS);
        settle();
        assertThat(informers.hasInformer(WIDGETS)).isFalse();
    }

    @Test
    void typesOfAGroupWhoseDiscoveryFailsAreKept() throws InterruptedException {
        cluster.addType(WIDGETS);
        settle();
        cluster.removeType(WIDGETS);
        cluster.failDiscovery("example.com/v1: 503");
        clock.advance(Duration.ofSeconds(30));
        settle();
        assertThat(informers.hasInformer(WIDGETS)).isTrue();
    }

    @Test
    void aTypeWithoutStrategicMergePatchIsLearned() throws InterruptedException {
        cluster.addType(WIDGETS);
        put(ResourceType.CONFIG_MAPS, "owner");
        put(WIDGETS, "w", by(ResourceType.CONFIG_MAPS, "owner"));
        settle();
        cluster.failNext("patch widgets.example.com default/w", 415, "UnsupportedMediaType", "no");
        delete(ResourceType.CONFIG_MAPS, "owner", "Orphan");
        List<String> writes = settle();
        assertThat(writes).hasSize(3);
        assertThat(writes.get(0)).contains("$patch");
        assertThat(writes.get(1)).startsWith("patch widgets.example.com default/w ").contains("resourceVersion");
        assertThat(exists(ResourceType.CONFIG_MAPS, "owner")).isFalse();
        assertThat(exists(WIDGETS, "w")).isTrue();
    }

    @Test
    void aConflictByAWriteThatDidNotTouchTheOwnersDoesNotStopTheDelete() throws InterruptedException {
        deployment();
        cluster.failNext("delete pods default/p1", 409, "Conflict", "version");
        delete(ResourceType.REPLICA_SETS, "rs", "Background");
        List<String> writes = settle();
        assertThat(writes).contains("delete pods default/p1 Background uid=uid-p1");
        assertThat(exists(ResourceType.PODS, "p1")).isFalse();
    }

    @Test
    void aServerThatFailsIsAskedAgain() throws InterruptedException {
        deployment();
        cluster.failNext("delete pods default/p1", 500, "InternalError", "down");
        cluster.failNext("get pods default/p2", 503, "ServiceUnavailable", "down");
        delete(ResourceType.REPLICA_SETS, "rs", "Background");
        settle();
        assertThat(exists(ResourceType.PODS, "p1")).isFalse();
        assertThat(exists(ResourceType.PODS, "p2")).isFalse();
    }

    @Test
    void twoThatOwnEachOtherDoNotWaitForEver() throws InterruptedException {
        put(ResourceType.CONFIG_MAPS, "a", by(ResourceType.CONFIG_MAPS, "b"));
        put(ResourceType.CONFIG_MAPS, "b", by(ResourceType.CONFIG_MAPS, "a"));
        settle();
        delete(ResourceType.CONFIG_MAPS, "a", "Foreground");
        settle();
        assertThat(exists(ResourceType.CONFIG_MAPS, "a")).isFalse();
        assertThat(exists(ResourceType.CONFIG_MAPS, "b")).isFalse();
    }
}
