package dev.wheelhouse.scheduler;

import java.time.Duration;

/** What the scheduler counts. Called from its loops; must not block. */
public interface SchedulerMetrics {
    /** Counts nothing. */
    SchedulerMetrics NONE = new SchedulerMetrics() {
    };

    /** A decision was made. @param result {@code scheduled} or {@code unschedulable} @param took how long it took */
    default void attempted(String result, Duration took) {}

    /** A pod was bound. @param waited since the scheduler first saw it pending */
    default void bound(Duration waited) {}

    /** A write to the API server failed. @param what {@code bind} or {@code status} */
    default void writeFailed(String what) {}
}
