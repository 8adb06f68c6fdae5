package dev.wheelhouse.podconfig;

import io.kubernetes.client.openapi.models.V1Pod;

/** Hears of pods that a source named and that are not run, and of manifests that give none. It must not block. */
@FunctionalInterface
public interface RejectedPods {
    /** @param why in a sentence for the pod's user */
    void rejected(String source, V1Pod pod, String why);

    /** A manifest is refused, and no pod runs on from what it said before: so it is the node's business only. */
    default void refused(String source, Refusal refusal) {}
}
