package dev.wheelhouse.node;

import io.kubernetes.client.openapi.models.V1Pod;

/** Records Kubernetes Events about pods for the node agent. Thread safe; it never blocks. */
@FunctionalInterface
public interface PodEventRecorder {
    /** Discards all Events. */
    PodEventRecorder NONE = (pod, fieldPath, type, reason, message) -> {};

    /**
     * Records an Event.
     * @param fieldPath the part of the pod, such as {@code spec.containers{web}}; empty for the whole pod
     * @param type {@code Normal} or {@code Warning}
     */
    void event(V1Pod pod, String fieldPath, String type, String reason, String message);

    /** Records an Event about the node itself. */
    default void onNode(String type, String reason, String message) {}
}
