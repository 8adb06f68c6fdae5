package dev.wheelhouse.simulation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

/** The server's content now, which no manager may have read yet. Nobody may change the objects. */
record Truth(Contents contents, String namespace) {
    <T> List<T> list(ResourceType type, Class<T> model) {
        return contents.list(type, namespace, model);
    }

    <T extends KubernetesObject> @Nullable T get(ResourceType type, Class<T> model, String name) {
        return list(type, model).stream().filter(o -> name(o).equals(name)).findFirst().orElse(null);
    }

    @Nullable
    V1ObjectMeta metadata(ResourceType type, ObjectKey key) {
        Truth there = key.namespace().isEmpty() ? this : new Truth(contents, key.namespace());
        PartialObjectMetadata object = there.get(type, PartialObjectMetadata.class, key.name());
        return object == null ? null : object.getMetadata();
    }

    List<V1Pod> pods() {
        return list(ResourceType.PODS, V1Pod.class);
    }

    List<V1ReplicaSet> replicaSets() {
        return list(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
    }

    List<V1Deployment> deployments() {
        return list(ResourceType.DEPLOYMENTS, V1Deployment.class);
    }

    @Nullable
    V1Pod pod(ObjectKey key) {
        return get(ResourceType.PODS, V1Pod.class, key.name());
    }

    /** Whether the namespace is being deleted or gone, so that anything may go. */
    boolean isEnding() {
        V1ObjectMeta metadata = metadata(ResourceType.NAMESPACES, ObjectKey.cluster(namespace));
        return metadata == null || metadata.getDeletionTimestamp() != null;
    }

    static boolean owns(KubernetesObject owner, KubernetesObject object) {
        return OwnerReferences.isControlledBy(object, owner.getMetadata());
    }

    static boolean isFinished(V1Pod pod) {
        return pod.getStatus() != null
                && ("Failed".equals(pod.getStatus().getPhase()) || "Succeeded".equals(pod.getStatus().getPhase()));
    }

    static boolean isActive(V1Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null && !isFinished(pod);
    }

    static boolean isReady(V1Pod pod) {
        return pod.getStatus() != null && pod.getStatus().getConditions() != null && pod.getStatus().getConditions()
                .stream().anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
    }

    /** The image of the first container. */
    static String image(V1PodSpec spec) {
        return String.valueOf(spec.getContainers().getFirst().getImage());
    }

    static String name(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getName());
    }

    static String uid(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getUid());
    }

    /** A short description of an object for a story. */
    static String brief(KubernetesObject object) {
        return name(object) + (object instanceof V1ReplicaSet r ? " of " + r.getSpec().getReplicas() : "");
    }
}
