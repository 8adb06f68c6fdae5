package dev.wheelhouse.controller;

import java.time.Duration;

/**
 * The options of the built-in controllers, with the names and defaults of kube-controller-manager's flags (upstream:
 * {@code cmd/kube-controller-manager/app/options}). The number of workers is in {@link ControllerContext#workers}.
 *
 * @param terminatedPodGcThreshold the number of ended pods that the pod garbage collector keeps; all if not positive
 * @param horizontalPodAutoscaler the options of the controller of autoscalers
 * @param endpoints the options of the controllers of Endpoints and EndpointSlices
 */
public record ControllerOptions(int terminatedPodGcThreshold, HorizontalPodAutoscaler horizontalPodAutoscaler,
        Endpoints endpoints) {
    /** Upstream's defaults. */
    public static final ControllerOptions DEFAULTS = new ControllerOptions(12_500, HorizontalPodAutoscaler.DEFAULTS,
            Endpoints.DEFAULTS);

    /** These options with another threshold of ended pods. */
    public ControllerOptions withTerminatedPodGcThreshold(int threshold) {
        return new ControllerOptions(threshold, horizontalPodAutoscaler, endpoints);
    }

    /** These options with others for the controller of autoscalers. */
    public ControllerOptions with(HorizontalPodAutoscaler others) {
        return new ControllerOptions(terminatedPodGcThreshold, others, endpoints);
    }

    /** These options with others for the controllers of Endpoints and EndpointSlices. */
    public ControllerOptions with(Endpoints others) {
        return new ControllerOptions(terminatedPodGcThreshold, horizontalPodAutoscaler, others);
    }

    /**
     * The options of the controllers of Endpoints and EndpointSlices. After a change they wait for a batch period, in
     * which further changes come.
     *
     * @param updatesBatchPeriod the wait of Endpoints after a change of a pod
     * @param sliceUpdatesBatchPeriod the wait of slices after a change of a pod
     * @param maxPerSlice the most endpoints of a slice
     * @param mirroringUpdatesBatchPeriod the wait of mirrored Endpoints after somebody changed a slice
     * @param mirroringMaxPerSubset the most addresses of a subset that are mirrored
     */
    public record Endpoints(Duration updatesBatchPeriod, Duration sliceUpdatesBatchPeriod, int maxPerSlice,
            Duration mirroringUpdatesBatchPeriod, int mirroringMaxPerSubset) {
        /** Upstream's defaults. */
        public static final Endpoints DEFAULTS = new Endpoints(Duration.ZERO, Duration.ZERO, 100, Duration.ZERO, 1000);
    }

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
