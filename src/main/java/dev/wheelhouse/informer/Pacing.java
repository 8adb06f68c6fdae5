package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;

/**
 * Decides when a Reflector may send the next request. After a failure it waits 0.8 s. Each further failure doubles the
 * delay, up to 15 s; two minutes without a failure reset it. A random part of up to the same length is added. A longer
 * Retry-After of the server counts instead. Upstream's longest wait is twice as long (the backoff manager in client-go
 * {@code tools/cache/reflector.go}); here a wait takes half a minute at most, so that caches are current within a
 * minute after the server recovers. Not thread safe: it belongs to one Reflector's loop.
 */
final class Pacing {
    private static final Duration FIRST = Duration.ofMillis(800);
    private static final Duration LONGEST = Duration.ofSeconds(15);
    private static final Duration RESET = Duration.ofMinutes(2);

    private final Clock clock;
    private final Backoff backoff;
    private long notBefore;

    Pacing(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.backoff = new Backoff(FIRST, LONGEST, 2, 1, RESET, clock, random);
        this.notBefore = clock.nanoTime();
    }

    /** The nanoseconds until the next request is allowed; zero or less if it is allowed now. */
    long untilAllowed() {
        return notBefore - clock.nanoTime();
    }

    /**
     * Starts the next delay.
     * @param e the failure, whose Retry-After may ask for a longer delay; null if there is none
     * @return the delay in nanoseconds, at least 1
     */
    long pause(@Nullable KubeApiException e) {
        Duration delay = backoff.next();
        Duration asked = e == null ? null : e.retryAfter();
        if (asked != null && asked.compareTo(delay) > 0) {
            delay = asked;
        }
        notBefore = clock.deadline(delay);
        return Math.max(1, delay.toNanos());
    }
}
