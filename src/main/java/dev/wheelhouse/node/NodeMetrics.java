package dev.wheelhouse.node;

import dev.wheelhouse.podconfig.PodSourceMetrics;

/**
 * The events that node agents count, for all nodes of the process together. Each method does nothing by default. Any
 * thread may call them; they must not block.
 */
public interface NodeMetrics extends PodSourceMetrics {
    NodeMetrics NONE = new NodeMetrics() {
    };

    /**
     * A worker synced a pod once.
     * @param stage {@code sync}, {@code terminating} or {@code terminated}
     * @param nanos the duration in nanoseconds
     */
    default void podSynced(String stage, long nanos) {}

    /** The node rejected a pod that was bound to it. */
    default void podRejected(String reason) {}

    /**
     * A pod's status was written.
     * @param succeeded whether the API server accepted the write
     */
    default void statusWritten(boolean succeeded) {}

    /** A mirror pod was created. */
    default void mirrorCreated() {}

    /** A mirror pod was deleted. */
    default void mirrorDeleted() {}

    /**
     * A node tried to renew its Lease and, if it was due, to report its status.
     * @param nanos the duration in nanoseconds
     */
    default void heartbeat(boolean succeeded, long nanos) {}
}
