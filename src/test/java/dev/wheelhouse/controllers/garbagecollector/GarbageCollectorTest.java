package dev.wheelhouse.controllers.garbagecollector;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controller.SyncTrace;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated
class GarbageCollectorTest {
    private static final ResourceType WIDGETS = new ResourceType("example.com", "v1", "widgets", "Widget", true);
    private static final String WORKLOAD = """
            selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [
             {name: app, image: app}]}}""";

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.REPLICA_SETS, ResourceType.DEPLOYMENTS,
            ResourceType.NODES, ResourceType.EVENTS, ResourceType.CONFIG_MAPS);
    private final GarbageCollector collector = new GarbageCollector(cluster.context());
    /** The number of the objects that the server has of itself. */
    private int others;

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(ResourceType type, String name, V1OwnerReference... owners) {
        create(type, "default", name, owners);
    }

    private void create(ResourceType type, String namespace, String name, V1OwnerReference... owners) {
        String spec = type.equals(ResourceType.PODS)
                ? "containers: [{name: app, image: app}]"
                : type.group().equals("apps") ? WORKLOAD : "";
        Unstructured object = Yaml.read("{metadata: {namespace: %s, name: %s}%s}".formatted(namespace, name,
                spec.isEmpty() ? "" : ", spec: {" + spec + "}"), Unstructured.class);
        object.getMetadata().setOwnerReferences(List.of(owners));
        cluster.create(type, object);
    }

    /** A reference to an object that exists. */
    private V1OwnerReference by(ResourceType type, String name) {
        return by(type, name, cluster.json(type, key(name)).at("/metadata/uid").asString());
    }

    private static V1OwnerReference by(ResourceType type, String name, String uid) {
        return new V1OwnerReference().apiVersion(type.apiVersion()).kind(type.kind()).name(name).uid(uid)
                .controller(true).blockOwnerDeletion(true);
    }

    private static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    private void work() {
        Cluster.work(collector.loops());
    }

    private List<String> settle() {
        return settle(collector);
    }

    /** Works and delivers until nothing happens, with enough time for delayed keys. */
    private List<String> settle(GarbageCollector which) {
        for (int i = 0; i < 20; i++) {
            Cluster.work(which.loops());
            cluster.deliver();
            cluster.clock.advance(Duration.ofMillis(150));
        }
        Cluster.work(which.loops());
        return cluster.requests.takeWrites();
    }

    private void deployment() {
        settle();
        others = collector.objects();
        create(ResourceType.DEPLOYMENTS, "web");
        create(ResourceType.REPLICA_SETS, "rs", by(ResourceType.DEPLOYMENTS, "web"));
        create(ResourceType.PODS, "p1", by(ResourceType.REPLICA_SETS, "rs"));
        create(ResourceType.PODS, "p2", by(ResourceType.REPLICA_SETS, "rs"));
        assertThat(settle()).as("nothing is garbage yet").isEmpty();
    }

    private void delete(ResourceType type, String name, String policy) {
        cluster.delete(type, key(name), Deletion.unconditional().withPropagation(policy));
    }

    private boolean exists(ResourceType type, String name) {
        return cluster.exists(type, key(name));
    }

    @Test
    void theJournalHasTheDependentAsTheKeyAndTheDeletionOfItsOwnerAsTheCause() {
        deployment();
        delete(ResourceType.DEPLOYMENTS, "web", "Background");
        settle();

        assertThat(cluster.journal.find(entry -> true, Long.MAX_VALUE, 10)).hasSize(3).last().satisfies(entry -> {
            assertThat(entry.target()).isEqualTo(key("rs"));
            assertThat(entry.sync().controller()).isEqualTo(GarbageCollector.NAME);
            assertThat(entry.sync().key()).isEqualTo("default/ReplicaSet:rs");
            assertThat(entry.sync().origin().cause().toString())
                    .startsWith("delete of deployments.apps default/web at version ");
            assertThat(entry.why()).isEqualTo("none of its owners exists");
            assertThat(entry.code()).isEqualTo(200);
        });
    }

    @Test
    void aDeletedDeploymentTakesReplicaSetsAndPodsWithIt() {
        deployment();
        delete(ResourceType.DEPLOYMENTS, "web", "Background");
        assertThat(settle()).containsExactly("delete replicasets.apps default/rs Background uid version",
                "delete pods default/p1 Background uid version", "delete pods default/p2 Background uid version");
        assertThat(collector.objects()).isEqualTo(others);
    }

    private static V1OwnerReference[] ghosts(int count) {
        V1OwnerReference[] ghosts = new V1OwnerReference[count];
        Arrays.setAll(ghosts, i -> by(ResourceType.REPLICA_SETS, "ghost" + i, "ghost" + i).controller(false));
        return ghosts;
    }

    @Test
    void anObjectWithManyOwnersIsDeletedAfterOneLookAtEachOfThem() {
        settle();
        others = collector.objects();
        cluster.requests.take();
        create(ResourceType.CONFIG_MAPS, "many", ghosts(1000));
        for (int i = 0; i < 3; i++) {
            work();
            cluster.deliver();
        }
        List<String> requests = cluster.requests.take();
        assertThat(requests).contains("delete configmaps default/many Background uid version");
        assertThat(requests.stream().filter(line -> line.startsWith("get replicasets")).count()).isEqualTo(1000);
        assertThat(collector.objects()).as("nothing is left of its owners").isEqualTo(others);
    }

    @Test
    void anObjectWithManyOwnersStaysWhileTheCacheDoesNotShowAllThatExistAndGoesWithTheLast() {
        cluster.withhold(ResourceType.REPLICA_SETS);
        create(ResourceType.REPLICA_SETS, "rs");
        V1OwnerReference[] owners = ghosts(200);
        owners[7] = by(ResourceType.REPLICA_SETS, "rs");
        create(ResourceType.CONFIG_MAPS, "many", owners);
        settle();
        cluster.clock.advance(Duration.ofSeconds(40));
        assertThat(settle()).singleElement().asString().startsWith("patch configmaps default/many ");
        assertThat(cluster.json(ResourceType.CONFIG_MAPS, key("many")).at("/metadata/ownerReferences")).hasSize(1);
        cluster.remove(ResourceType.REPLICA_SETS, key("rs"));
        cluster.clock.advance(Duration.ofSeconds(30));
        assertThat(settle()).containsExactly("delete configmaps default/many Background uid version");
    }

    @Test
    void aPodWhoseOwnerTheCacheDoesNotShowYetStays() {
        cluster.withhold(ResourceType.REPLICA_SETS);
        create(ResourceType.REPLICA_SETS, "rs");
        create(ResourceType.PODS, "p1", by(ResourceType.REPLICA_SETS, "rs"));
        settle();
        cluster.clock.advance(Duration.ofSeconds(40));
        assertThat(settle()).isEmpty();
        assertThat(collector.isReady()).isTrue();
        assertThat(collector.typesNotSynced()).singleElement().asString().contains("replicasets.apps")
                .contains("403 Forbidden");
        assertThat(exists(ResourceType.PODS, "p1")).isTrue();
        cluster.remove(ResourceType.REPLICA_SETS, key("rs"));
        cluster.clock.advance(Duration.ofSeconds(30));
        assertThat(settle()).as("its owner is watched by nobody, so it is looked at now and then")
                .containsExactly("delete pods default/p1 Background uid version");
    }

    @Test
    void aReferenceCannotMakeALineOfTheLog() {
        create(ResourceType.CONFIG_MAPS, "owner");
        settle();
        V1OwnerReference owner = by(ResourceType.CONFIG_MAPS, "owner").kind("X\n12:00:00 ERROR forged");
        cluster.create(ResourceType.NAMESPACES, Unstructured.class, "{metadata: {name: other}}");
        create(ResourceType.PODS, "other", "stranger", owner);
        try (Logged log = Logged.by("dev.wheelhouse.controllers.garbagecollector.GraphKeeper")) {
            settle();
            assertThat(log.lines()).isNotEmpty().allSatisfy(line -> assertThat(line).contains("forged")
                    .doesNotContain("\n"));
        }
    }

    @Test
    void theInformersOfNewTypesAreStartedOnce() {
        List<String> calls = new ArrayList<>();
        SharedInformerFactory counted = (SharedInformerFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[]{SharedInformerFactory.class}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return method.invoke(cluster.informers(), arguments);
                });
        GarbageCollector other = new GarbageCollector(new ControllerContext(cluster.client(), counted,
                cluster.clock, cluster::recorder, ControllerContext.Settings.stepped()));
        cluster.settle(other.loops());
        assertThat(calls).filteredOn(call -> call.equals("startNew")).hasSize(1);
        assertThat(calls).last().isEqualTo("startNew");
    }

    @Test
    void anObservingOnePlansTheDeletionOfAnObjectWhoseOwnerNeverExistedAndDropsThePlanWithTheObject() {
        List<String> planned = new ArrayList<>();
        List<String> synced = new ArrayList<>();
        GarbageCollector observer = new GarbageCollector(cluster.context(new ControllerContext.Settings(
                (controller, preset) -> 1, Parallel.inOrder(), controller -> true, controller -> false,
                new ControllerMetrics(Meters.NONE) {
                    @Override
                    public void planned(String controller, String verb, ResourceType type) {
                        planned.add(verb + " " + type);
                    }

                    @Override
                    public SyncTrace begin(String controller, Object key) {
                        synced.add(key.toString());
                        return SyncTrace.NONE;
                    }
                })));
        create(ResourceType.PODS, "stray", by(ResourceType.REPLICA_SETS, "ghost", "ghost"));
        assertThat(settle(observer)).isEmpty();
        assertThat(planned).containsExactly("delete pods");

        synced.clear();
        cluster.remove(ResourceType.PODS, key("stray"));
        settle(observer);
        assertThat(synced).as("a sync without writes drops the plan").contains("default/Pod:stray");
        assertThat(planned).hasSize(1);
        settle();
        assertThat(observer.objects()).isEqualTo(collector.objects());
    }

    @Test
    void aTypeWithoutStrategicMergePatchIsLearned() {
        try (Logged worker = Logged.by(Worker.class.getName())) {
            learnWithoutStrategicMergePatch();
            assertThat(worker.lines()).as("complaints about the delay of the next sync").isEmpty();
        }
    }

    private void learnWithoutStrategicMergePatch() {
        cluster.define(WIDGETS);
        cluster.requests.discover(WIDGETS);
        create(ResourceType.CONFIG_MAPS, "owner");
        create(WIDGETS, "w", by(ResourceType.CONFIG_MAPS, "owner"));
        settle();
        delete(ResourceType.CONFIG_MAPS, "owner", "Orphan");
        List<String> writes = settle();
        assertThat(writes).hasSize(3);
        assertThat(writes.get(0)).contains("$patch");
        assertThat(writes.get(1)).startsWith("patch widgets.example.com default/w ").contains("resourceVersion");
        assertThat(exists(ResourceType.CONFIG_MAPS, "owner")).isFalse();
        assertThat(exists(WIDGETS, "w")).isTrue();
    }
}
