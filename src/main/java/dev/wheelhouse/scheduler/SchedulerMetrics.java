package dev.wheelhouse.scheduler;

import java.time.Duration;

/**
 * The events that the scheduler counts. Each method does nothing by default. The scheduler's loops call them; they must
 * not block.
 */
public interface SchedulerMetrics {
    SchedulerMetrics NONE = new SchedulerMetrics() {
    };

    /**
     * A decision was made.
     * @param result {@code scheduled} or {@code unschedulable}
     * @param took the duration of the decision
     */
    default void attempted(String result, Duration took) {}

    /**
     * A pod was bound.
     * @param waited the time since the scheduler first saw the pod pending
     */
    default void bound(Duration waited) {}

    /**
     * A write to the API server failed.
     * @param what the write: {@code bind} for a binding, {@code status} for the {@code PodScheduled} condition
     */
    default void writeFailed(String what) {}
}
