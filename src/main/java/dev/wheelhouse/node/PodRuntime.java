package dev.wheelhouse.node;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.runtime.LoopRunner;

/**
 * Runs containers for the node agent (upstream: {@code pkg/kubelet/container/runtime.go}, and the lifecycle events of
 * {@code pkg/kubelet/pleg}). Thread safe; there is only one call at a time for each pod. No call waits for containers:
 * the result of a longer operation is reported by an event.
 */
public interface PodRuntime extends AutoCloseable {
    /** Starts the containers of a pod that should run, and restarts those that its policy restarts. */
    void sync(V1Pod pod);

    /**
     * Begins to stop a pod's containers. A later call may shorten the grace period, but not extend it.
     *
     * @param gracePeriod the time after which containers that still run are killed
     */
    void kill(V1Pod pod, Duration gracePeriod);

    /** The current status of a pod; null if the runtime does not know the pod. */
    @Nullable
    PodRuntimeStatus status(String uid);

    /** Drops a pod whose containers have stopped, and frees its resources. */
    void remove(String uid);

    /** The UIDs of all pods that the runtime knows. */
    Set<String> pods();

    /** Removes and returns the next event; null if there is none. There is one consumer. */
    @Nullable
    PodLifecycleEvent pollEvent();

    /** The nanoseconds until the next event; 0 if one is waiting, {@code Long.MAX_VALUE} if none is expected. */
    long nanosToNextEvent();

    /**
     * Sets a callback that runs when an event may come earlier than {@link #nanosToNextEvent} returned. It must not
     * block.
     */
    void onEvent(Runnable wake);

    /**
     * Frees everything of pods that are not among these: what an earlier process left behind, and the logs of pods that
     * are gone. It is called when all sources have sent their pods.
     *
     * @param uids the pods that this node should run, or still stops
     */
    default void retain(Set<String> uids) {}

    /** Why the runtime has ended a pod that used more than it may; null if it has not. */
    default @Nullable String evicted(String uid) {
        return null;
    }

    /** Adds to the status of the Node what the runtime knows. */
    default void describe(V1NodeStatus status) {}

    /** The port of the node's own server; 0 if it has none. */
    default int port() {
        return 0;
    }

    /** Whether it knows the pods that an earlier process has left. Before that, no pod may be synced or killed. */
    default boolean isKnown() {
        return true;
    }

    /** Why the runtime can run no pods now, as the Node's condition says it; null if it can. */
    default @Nullable String problem() {
        return null;
    }

    /** Sets a callback that runs when the {@link #problem} has changed. It must not block. */
    default void onProblem(Runnable wake) {}

    /** Starts the threads of a runtime that has some. */
    default void start(LoopRunner runner) {}

    /** Frees the connections of this process. The pods stay as they are. */
    @Override
    default void close() {}
}
