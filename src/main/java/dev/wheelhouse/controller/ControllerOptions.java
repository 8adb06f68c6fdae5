package dev.wheelhouse.controller;

import java.time.Duration;

/**
 * The options of the built-in controllers, with the names and defaults of kube-controller-manager's flags (upstream:
 * {@code cmd/kube-controller-manager/app/options}). The number of workers is in {@link ControllerContext#workers}.
 *
 * @param terminatedPodGcThreshold the number of ended pods that the pod garbage collector keeps; all if not positive
 * @param resourceQuotaSyncPeriod the time between two counts of the usage of all quotas; never if not positive
 * @param horizontalPodAutoscaler the options of the controller of autoscalers
 */
public record ControllerOptions(int terminatedPodGcThreshold, Duration resourceQuotaSyncPeriod,
        HorizontalPodAutoscaler horizontalPodAutoscaler) {
    /** Upstream's defaults. */
    public static final ControllerOptions DEFAULTS = new ControllerOptions(12_500, Duration.ofMinutes(5),
            HorizontalPodAutoscaler.DEFAULTS);

    /**
     * The options of the controller of autoscalers.
     *
     * @param syncPeriod the time between two syncs of one autoscaler
     * @param downscaleStabilization the window in which the highest recommendation counts, unless the autoscaler has
     *     one of its own
     * @param tolerance the fraction by which the usage may differ from the target without a change of the replicas,
     *     unless the autoscaler has one of its own
     * @param cpuInitializationPeriod the time after a pod's start in which its CPU usage counts only if it was measured
     *     while the pod was ready
     * @param initialReadinessDelay a pod that became unready within this time after its start has never been ready
     */
    public record HorizontalPodAutoscaler(Duration syncPeriod, Duration downscaleStabilization, double tolerance,
            Duration cpuInitializationPeriod, Duration initialReadinessDelay) {
        /** Upstream's defaults. */
        public static final HorizontalPodAutoscaler DEFAULTS = new HorizontalPodAutoscaler(Duration.ofSeconds(15),
                Duration.ofMinutes(5), 0.1, Duration.ofMinutes(5), Duration.ofSeconds(30));
    }
}
