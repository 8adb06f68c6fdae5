package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

/** The controller on an API server, stepped by one thread. */
final class ReplicaSetSystem implements AutoCloseable {
    /** The longest delay that the system waits for when it settles. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final Cluster cluster = new Cluster();
    ReplicaSetController controller = new ReplicaSetController(cluster.context());

    /** Drops the controller's memory, as a crash does, and starts a new one. */
    void restart() {
        cluster.forgetCaches();
        controller = new ReplicaSetController(cluster.context());
        cluster.deliver();
    }

    static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    V1ReplicaSet create(String name, int replicas) {
        return create(replicaSet(name, replicas));
    }

    V1ReplicaSet create(V1ReplicaSet set) {
        return cluster.create(ResourceType.REPLICA_SETS, set);
    }

    static V1ReplicaSet replicaSet(String name, int replicas) {
        return new V1ReplicaSet().apiVersion("apps/v1").kind("ReplicaSet")
                .metadata(new V1ObjectMeta().namespace("default").name(name))
                .spec(new V1ReplicaSetSpec().replicas(replicas)
                        .selector(new V1LabelSelector().matchLabels(Map.of("app", name)))
                        .template(Manifests.podTemplate(name)));
    }

    V1Pod createPod(V1Pod pod) {
        return cluster.create(ResourceType.PODS, pod);
    }

    static V1Pod pod(String name, String app) {
        return Manifests.pod(name, Map.of("app", app));
    }

    /** Delivers everything and lets the worker run, with short waits, until nothing happens any more. */
    void settle() {
        cluster.settle(controller.loops(), PATIENCE);
    }

    long step() {
        return Cluster.step(controller.loops().getFirst());
    }

    V1ReplicaSet set(String name) {
        return cluster.read(ResourceType.REPLICA_SETS, key(name), V1ReplicaSet.class);
    }

    void edit(String name, Consumer<V1ReplicaSet> change) {
        cluster.edit(ResourceType.REPLICA_SETS, V1ReplicaSet.class, key(name), change);
    }

    void scale(String name, int replicas) {
        edit(name, set -> set.getSpec().setReplicas(replicas));
    }

    List<V1Pod> pods() {
        return cluster.all(ResourceType.PODS, V1Pod.class);
    }

    List<V1Pod> podsOf(String name) {
        V1ReplicaSet set = set(name);
        return pods().stream().filter(pod -> OwnerReferences.isControlledBy(pod, set.getMetadata())).toList();
    }

    /** Binds a pod that no node has yet. */
    void bind(V1Pod pod, String node) {
        editPod(pod, p -> p.getSpec().setNodeName(p.getSpec().getNodeName() == null ? node : Pods.node(p)));
    }

    void ready(V1Pod pod) {
        bind(pod, "hollow-0");
        editPod(pod, p -> p.setStatus(new V1PodStatus().phase("Running").conditions(List.of(new V1PodCondition()
                .type("Ready").status("True").lastTransitionTime(cluster.clock.now().atOffset(ZoneOffset.UTC))))));
    }

    void editPod(V1Pod pod, Consumer<V1Pod> change) {
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod), change);
    }

    void remove(V1Pod pod) {
        cluster.remove(ResourceType.PODS, ObjectKey.of(pod));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
