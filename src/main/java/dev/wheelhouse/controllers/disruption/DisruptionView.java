package dev.wheelhouse.controllers.disruption;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

/**
 * The input of a decision about one budget.
 *
 * @param pods the pods that its selector matches
 * @param scale the number of pods that their owners want; used only if the budget has maxUnavailable or a percentage
 * @param now the time for conditions and timeouts
 */
record DisruptionView(V1PodDisruptionBudget budget, List<V1Pod> pods, Scale scale, Instant now) {
    /**
     * The number of pods that the owners of some pods want together.
     *
     * @param unmanaged the names of the pods without a controller
     * @param problem why the number cannot be determined; null if it was
     */
    record Scale(int expected, List<String> unmanaged, @Nullable String problem) {}
}
