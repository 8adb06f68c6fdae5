package dev.wheelhouse.node;

import io.kubernetes.client.openapi.models.V1Pod;

/** Where the node agent reports what happens to pods, as Kubernetes Events. Thread safe; it never blocks. */
@FunctionalInterface
public interface PodEvents {
    /** Reports nowhere. */
    PodEvents NONE = (pod, fieldPath, type, reason, message) -> {};

    /**
     * @param fieldPath the part of the pod that it is about, such as {@code spec.containers{web}}, or empty
     * @param type {@code Normal} or {@code Warning}
     */
    void event(V1Pod pod, String fieldPath, String type, String reason, String message);
}
