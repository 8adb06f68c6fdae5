package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * The pods without a node: since when they wait, the number of attempts, and the filters that rejected them last
 * (upstream: {@code pkg/scheduler/backend/queue}). Thread safe.
 */
final class PendingPods {
    private final SchedulerConfig config;
    private final Clock clock;
    private final Map<ObjectKey, Pending> pending = new ConcurrentHashMap<>();

    /**
     * @param since the start of the wait, in nanoseconds of the clock
     * @param notBefore the end of the backoff, in nanoseconds of the clock
     * @param refusedBy null while the pod waits for a decision
     */
    private record Pending(String uid, long since, int attempts, long notBefore, @Nullable Set<Filter> refusedBy) {}

    /** A pod to try again after a delay. */
    record Retry(ObjectKey key, Duration delay) {}

    PendingPods(SchedulerConfig config, Clock clock) {
        this.config = config;
        this.clock = clock;
    }

    /** Records a pod that waits for a decision, because it is new or has changed. */
    void arrived(ObjectKey key, String uid) {
        long now = clock.nanoTime();
        pending.compute(key, (k, p) -> new Pending(uid, p == null || !p.uid.equals(uid) ? now : p.since, 0, now, null));
    }

    void refused(ObjectKey key, String uid, Set<Filter> by) {
        pending.compute(key, (k, p) -> {
            int attempts = p == null ? 1 : p.attempts + 1;
            long since = p == null ? clock.nanoTime() : p.since;
            return new Pending(uid, since, attempts,
                    clock.deadline(Durations.doubled(config.initialBackoff(), attempts - 1, config.maxBackoff())), by);
        });
    }

    /**
     * The rejected pods for which one of their filters may have another result now. Each is returned once per
     * rejection.
     */
    List<Retry> reconsider(Predicate<Filter> mayChange) {
        List<Retry> retries = new ArrayList<>();
        for (ObjectKey key : pending.keySet()) {
            Retry retry = reconsider(key, mayChange);
            if (retry != null) {
                retries.add(retry);
            }
        }
        return retries;
    }

    /** Like {@link #reconsider(Predicate)}, for one pod; null if none of these filters rejected it. */
    @Nullable
    Retry reconsider(ObjectKey key, Predicate<Filter> mayChange) {
        Pending p = pending.get(key);
        return p != null && p.refusedBy != null && p.refusedBy.stream().anyMatch(mayChange)
                && pending.replace(key, p, new Pending(p.uid, p.since, p.attempts, p.notBefore, null))
                        ? new Retry(key, Duration.ofNanos(Math.max(0, p.notBefore - clock.nanoTime())))
                        : null;
    }

    /** The start of the pod's wait, in nanoseconds of the clock; the current time if it does not wait. */
    long since(ObjectKey key) {
        Pending p = pending.get(key);
        return p == null ? clock.nanoTime() : p.since;
    }

    /** Records that the pod has a node or was deleted. */
    void left(ObjectKey key) {
        pending.remove(key);
    }

    int size() {
        return pending.size();
    }
}
