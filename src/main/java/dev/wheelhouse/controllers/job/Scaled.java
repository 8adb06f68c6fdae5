package dev.wheelhouse.controllers.job;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;

/**
 * The result of a {@link PodPlan}: the counts for the status, as the caches will show them.
 *
 * @param active the active pods
 * @param ready the ready ones among them
 * @param terminating the pods that are being deleted and have not ended
 * @param deleted the pods whose deletion succeeded
 * @param namespaceEnds whether creations were refused because the namespace is being deleted, which is no failure
 * @param error the first failure; null if all writes succeeded
 */
record Scaled(int active, int ready, int terminating, int deleted, boolean namespaceEnds,
        @Nullable KubeApiException error) {
    static Scaled unchanged(int active, int ready, int terminating) {
        return new Scaled(active, ready, terminating, 0, false, null);
    }
}
