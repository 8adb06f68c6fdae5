package dev.wheelhouse.workqueue;

import java.util.function.Supplier;

/**
 * The events that a queue counts, for client-go's {@code workqueue_*} metrics. Each method does nothing by default. The
 * queue calls them from any thread, without its lock.
 */
public interface WorkQueueMetrics {
    WorkQueueMetrics NONE = new WorkQueueMetrics() {
    };

    /** A queue was created. {@code state} supplies its gauges (depth, unfinished work, longest running) from now on. */
    default void made(String queue, Supplier<WorkQueueState> state) {}

    /** A queue was shut down; {@code state} is the one of {@link #made}. Its gauges do not count any more. */
    default void ended(String queue, Supplier<WorkQueueState> state) {}

    /** A key was added that was not waiting already ({@code adds_total}). */
    default void added(String queue) {}

    /**
     * A key was taken ({@code queue_duration_seconds}).
     * @param nanos the time since the key was added or due, in nanoseconds
     */
    default void taken(String queue, long nanos) {}

    /**
     * The processing of a key ended ({@code work_duration_seconds}).
     * @param nanos the time since the key was taken, in nanoseconds
     */
    default void worked(String queue, long nanos) {}

    /** A failed key was delayed by the rate limiter ({@code retries_total}). */
    default void retried(String queue) {}
}
