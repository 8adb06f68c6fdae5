package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;

/**
 * Decides when a Reflector may send the next request. After a failure it waits 0.8 s, doubling up to 15 s, and up to as
 * much again by chance; the delay starts again at 0.8 s after two minutes without a failure. A longer Retry-After of
 * the server counts instead (upstream: the backoff manager in client-go {@code tools/cache/reflector.go}, which waits
 * twice as long at most: half a minute leaves time for caches to be current a minute after the server is well). Not
 * thread safe: it belongs to one Reflector's loop.
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
    long pause(@Nullable ApiError e) {
        Duration delay = backoff.next();
        Duration asked = e == null ? null : e.retryAfter();
        if (asked != null && asked.compareTo(delay) > 0) {
            delay = asked;
        }
        notBefore = clock.deadline(delay);
        return Math.max(1, delay.toNanos());
    }
}
