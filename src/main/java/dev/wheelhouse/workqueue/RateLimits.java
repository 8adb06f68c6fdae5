package dev.wheelhouse.workqueue;

import java.time.Duration;

import dev.wheelhouse.runtime.Durations;

/**
 * How failed keys are delayed (upstream: client-go {@code util/workqueue/default_rate_limiters.go}).
 *
 * @param first the delay after a key's first failure; it doubles with each further one
 * @param longest the longest delay of a key's own
 * @param perSecond how many failed keys a second come back, over all keys of a flow
 * @param burst how many may come back at once before that rate holds
 */
public record RateLimits(Duration first, Duration longest, double perSecond, int burst) {
    /** Upstream's defaults for controllers: 5 ms to 1000 s per key, 10 a second over all keys of a flow after a burst of 100. */
    public static final RateLimits CONTROLLER = new RateLimits(Duration.ofMillis(5), Duration.ofSeconds(1000), 10, 100);

    public RateLimits {
        if (first.isNegative() || longest.compareTo(first) < 0 || !(perSecond > 0) || burst < 1) {
            throw new IllegalArgumentException("rate limits from " + first + " to " + longest + ", " + perSecond
                    + " a second, burst " + burst
                    + ": need 0 <= first <= longest, a positive rate and a burst of at least 1");
        }
    }

    /** A key's own delay, in nanoseconds, after it has failed {@code failures} times before. */
    long keyDelayNanos(int failures) {
        long nanos = Durations.saturatedNanos(first);
        long max = Durations.saturatedNanos(longest);
        for (int i = 0; i < failures && nanos < max; i++) {
            nanos = nanos > max / 2 ? max : nanos * 2;
        }
        return nanos;
    }
}
