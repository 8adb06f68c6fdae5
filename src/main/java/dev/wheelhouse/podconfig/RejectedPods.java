package dev.wheelhouse.podconfig;

import io.kubernetes.client.openapi.models.V1Pod;

/** Hears of pods that a source named and that are not run. Called under a lock: it must not block. */
@FunctionalInterface
public interface RejectedPods {
    /** @param why in a sentence for the pod's user */
    void rejected(String source, V1Pod pod, String why);
}
