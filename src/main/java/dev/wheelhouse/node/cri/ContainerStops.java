package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1Pod;

/**
 * The stops of one pod's containers that are under way. Each has a task of its own: first the hook, then the signal,
 * then the kill (upstream: {@code killContainer} in {@code kuberuntime_container.go}). Thread safe.
 */
final class ContainerStops {
    private static final Logger log = LoggerFactory.getLogger(ContainerStops.class);
    /** The least time between SIGTERM and SIGKILL, even after a hook that took the whole grace period. */
    private static final Duration LEAST_GRACE = Duration.ofSeconds(2);
    /** A later stop counts only if it is earlier by this. */
    private static final long NOTICEABLE = Duration.ofSeconds(1).toNanos();

    private final CriRuntime runtime;
    private final Runnable ended;
    /** The times at which containers that stop are killed, by their IDs. */
    private final Map<String, Long> until = new ConcurrentHashMap<>();

    /** @param ended is called when a container has stopped */
    ContainerStops(CriRuntime runtime, Runnable ended) {
        this.runtime = runtime;
        this.ended = ended;
    }

    boolean isUnderWay(String id) {
        return until.containsKey(id);
    }

    /** Forgets stops that are over. */
    void retain(Predicate<String> ids) {
        until.keySet().removeIf(ids.negate());
    }

    /**
     * Begins to stop a container. A further call can only shorten its time.
     *
     * @param pod null if its spec is not known
     * @param address the pod's address, for its hook
     */
    void begin(@Nullable V1Pod pod, CriContainer container, Run run, Duration grace, String why,
            String address) {
        long killAt = runtime.clock.deadline(grace);
        Long before = until.get(run.id());
        if (before != null && killAt >= before - NOTICEABLE) {
            return;
        }
        until.put(run.id(), killAt);
        runtime.endProbes(container);
        if (before == null && pod != null) {
            runtime.event(pod, container, "Normal", "Killing", why);
        }
        V1LifecycleHandler hook = container.spec.getLifecycle() == null || before != null
                ? null
                : container.spec.getLifecycle().getPreStop();
        runtime.run("stop-" + run.id(), () -> {
            Duration left = runtime.clock.until(killAt);
            if (hook != null && left.isPositive()) {
                String failure = runtime.hooks.run(hook, container.spec, run.id(), address, left,
                        new Interruption());
                if (failure != null && pod != null) {
                    runtime.event(pod, container, "Warning", "FailedPreStopHook", "PreStopHook failed: " + failure);
                }
                Duration rest = runtime.clock.until(killAt);
                left = rest.compareTo(LEAST_GRACE) < 0 ? LEAST_GRACE : rest;
            }
            try {
                runtime.cri.stop(run.id(), left.plusMillis(999).toSeconds());
            } catch (CriException e) {
                // The next step tries again.
                until.remove(run.id());
                log.debug("the container {} could not be stopped: {}", run.id(), e.getMessage());
            }
            ended.run();
        });
    }
}
