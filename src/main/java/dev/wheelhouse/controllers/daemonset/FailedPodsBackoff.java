package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * The delays between deletions of failed pods of one DaemonSet on one node: 1 s, doubled each time, 15 min at most. A
 * node that rejects each pod is thus not sent pods in a hot loop. A delay starts afresh with a new generation of the
 * DaemonSet, and after 30 minutes without a failure (upstream: {@code failedPodsBackoff} in
 * {@code daemon_controller.go}, {@code client-go/util/flowcontrol/backoff.go}). Thread safe.
 */
final class FailedPodsBackoff {
    /** The first delay. */
    static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(15);
    private static final Duration FORGOTTEN = LONGEST.multipliedBy(2);

    private final Clock clock;
    private final Map<Key, Delay> delays = new HashMap<>();

    /** @param generation the observed generation in the DaemonSet's status */
    record Key(String uid, long generation, String node) {}

    private record Delay(Duration length, long since) {}

    FailedPodsBackoff(Clock clock) {
        this.clock = clock;
    }

    /** The length of the present delay; null if a failed pod may be deleted now. */
    synchronized @Nullable Duration delaying(Key key) {
        Delay delay = delays.get(key);
        return delay == null || age(delay) >= delay.length.toNanos() ? null : delay.length;
    }

    /** Starts the next delay, because a failed pod is deleted. */
    synchronized void next(Key key) {
        delays.values().removeIf(delay -> age(delay) > FORGOTTEN.toNanos());
        Delay before = delays.get(key);
        Duration length = before == null ? FIRST : Durations.doubled(before.length, 1, LONGEST);
        delays.put(key, new Delay(length, clock.nanoTime()));
    }

    private long age(Delay delay) {
        return clock.nanoTime() - delay.since;
    }
}
