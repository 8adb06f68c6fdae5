package dev.wheelhouse.workqueue;

import java.util.function.Supplier;

/**
 * What a queue counts; client-go's {@code workqueue_*} metrics. Every method does nothing by default. They are called outside
 * the queue's lock, by any thread.
 */
public interface WorkQueueMetrics {
    WorkQueueMetrics NONE = new WorkQueueMetrics() {
    };

    /** A queue was made: its gauges (depth, unfinished work, longest running) can be asked for from now on. */
    default void made(String queue, Supplier<WorkQueueState> state) {}

    /** A key was added that was not waiting already ({@code adds_total}). */
    default void added(String queue) {}

    /** A key was taken ({@code queue_duration_seconds}). @param nanos how long it had waited since it was added or due */
    default void taken(String queue, long nanos) {}

    /** The work on a key ended ({@code work_duration_seconds}). */
    default void worked(String queue, long nanos) {}

    /** A key was added by the rate limiter ({@code retries_total}). */
    default void retried(String queue) {}
}
