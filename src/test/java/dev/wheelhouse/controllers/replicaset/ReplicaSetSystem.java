package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.ControllerOfPods;
import dev.wheelhouse.world.Manifests;

/** The controller of ReplicaSets. */
final class ReplicaSetSystem extends ControllerOfPods<ReplicaSetController> {
    /** The longest delay that the system waits for when it settles. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    ReplicaSetSystem() {
        super(ReplicaSetController::new);
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
    @Override
    public void settle() {
        settle(PATIENCE);
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

    List<V1Pod> podsOf(String name) {
        return podsOf(set(name));
    }

    /** Binds a pod that no node has yet. */
    void bind(V1Pod pod, String node) {
        editPod(pod, p -> p.getSpec().setNodeName(p.getSpec().getNodeName() == null ? node : Pods.node(p)));
    }

    void ready(V1Pod pod) {
        phase(pod, "hollow-0", "Running", true);
    }
}
