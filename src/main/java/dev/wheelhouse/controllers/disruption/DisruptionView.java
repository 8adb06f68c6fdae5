package dev.wheelhouse.controllers.disruption;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

/**
 * What is known when a budget is looked at.
 *
 * @param pods those that its selector matches
 * @param scale how many pods their owners ask for; looked at only where the budget speaks of unavailable pods or of a percentage
 */
record DisruptionView(V1PodDisruptionBudget budget, List<V1Pod> pods, Scale scale, Instant now) {
    /**
     * How many pods the owners of pods ask for together.
     *
     * @param unmanaged the names of the pods that have no controller
     * @param problem why the number cannot be known; null if it is known
     */
    record Scale(int expected, List<String> unmanaged, @Nullable String problem) {}
}
