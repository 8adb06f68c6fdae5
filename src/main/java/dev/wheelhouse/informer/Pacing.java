package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;

/**
 * When a Reflector may ask the server again: after a delay that grows from failure to failure, with jitter, and begins anew after
 * two minutes without one; or later, if the server said so (upstream: the backoff manager in client-go
 * {@code tools/cache/reflector.go}, which waits twice as long at most: half a minute leaves time to be up to date a minute after
 * the server is well). Belongs to one Reflector's loop.
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

    /** Nanoseconds until the server may be asked; zero or less for now. */
    long untilAllowed() {
        return notBefore - clock.nanoTime();
    }

    /** Waits for the next delay. @param e what failed, which may ask for longer. @return nanoseconds, at least 1 */
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
