package dev.wheelhouse.podconfig;

import io.kubernetes.client.openapi.models.V1Pod;

/** Receives reports about pods of a source that are not run, and about refused manifests. Must not block. */
@FunctionalInterface
public interface RejectionListener {
    /**
     * A pod is left out, or its new manifest is refused while the pod keeps running.
     * @param why the reason, in a sentence for the pod's user
     */
    void rejected(String source, V1Pod pod, String why);

    /** A manifest is refused, and no pod of an earlier version is running. So the report can only be about the node. */
    default void refused(String source, Refusal refusal) {}
}
