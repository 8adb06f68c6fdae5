package dev.wheelhouse.node;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * What runs containers, as the node agent sees it (upstream: {@code pkg/kubelet/container/runtime.go}, and the lifecycle
 * events of {@code pkg/kubelet/pleg}). Thread safe; calls for one pod come one at a time. No call waits for containers: what
 * takes time is told by an event when it has happened.
 */
public interface PodRuntime {
    /** Brings a pod nearer to its spec: starts what should run, restarts what its policy says. */
    void sync(V1Pod pod);

    /**
     * Begins to stop a pod's containers. A later call may shorten the grace period, never lengthen it.
     *
     * @param gracePeriod after which what still runs is killed
     */
    void kill(V1Pod pod, Duration gracePeriod);

    /** How a pod is now; null if the runtime knows nothing of it. */
    @Nullable
    PodRuntimeStatus status(String uid);

    /** Forgets a pod, whose containers must have stopped, and frees what it held. */
    void remove(String uid);

    /** The UIDs of all pods that the runtime knows. */
    Set<String> pods();

    /** The next thing that has happened to a pod, or null. One consumer takes them. */
    @Nullable
    PodLifecycleEvent pollEvent();

    /** Nanoseconds until the next event is due; 0 if one waits, {@code Long.MAX_VALUE} if none is in sight. */
    long nanosToNextEvent();

    /** What to run when an event may be due earlier than {@link #nanosToNextEvent} said. It must not block. */
    void onEvent(Runnable wake);
}
