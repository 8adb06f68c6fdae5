package dev.wheelhouse.node;

import dev.wheelhouse.podconfig.PodSourceMetrics;

/** What node agents count, of all nodes of the process together. Called from any thread; it must not block. */
public interface NodeMetrics extends PodSourceMetrics {
    /** Counts nothing. */
    NodeMetrics NONE = new NodeMetrics() {
    };

    /** A worker has dealt with a pod once. @param stage {@code sync}, {@code terminating} or {@code terminated} */
    default void podSynced(String stage, long nanos) {}

    /** The node refused to run a pod that was bound to it. */
    default void podRejected(String reason) {}

    /** A pod's status was written. @param well whether that succeeded */
    default void statusWritten(boolean well) {}

    /** A mirror pod was made. */
    default void mirrorCreated() {}

    /** A mirror pod was deleted. */
    default void mirrorDeleted() {}

    /** A node has tried to renew its Lease, and to report its status when that was due. */
    default void heartbeat(boolean well, long nanos) {}
}
