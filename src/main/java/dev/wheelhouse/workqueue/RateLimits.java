package dev.wheelhouse.workqueue;

import java.time.Duration;

import dev.wheelhouse.runtime.Durations;

/**
 * The delays of failed keys (upstream: client-go {@code util/workqueue/default_rate_limiters.go}). A key waits for the
 * longer of its own delay and the wait that its flow's token bucket demands.
 *
 * @param first the delay after a key's first failure; each further failure doubles it
 * @param longest the upper limit of a key's own delay
 * @param perSecond the retries per second of all keys of a flow together
 * @param burst the retries of a flow that the rate does not delay
 */
public record RateLimits(Duration first, Duration longest, double perSecond, int burst) {
    /**
     * Upstream's defaults for controllers: 5 ms to 1000 s per key; 10 retries a second per flow after a burst of 100.
     */
    public static final RateLimits CONTROLLER = new RateLimits(Duration.ofMillis(5), Duration.ofSeconds(1000), 10, 100);

    public RateLimits {
        if (first.isNegative() || longest.compareTo(first) < 0 || !(perSecond > 0) || burst < 1) {
            throw new IllegalArgumentException("rate limits from " + first + " to " + longest + ", " + perSecond
                    + " a second, burst " + burst
                    + ": need 0 <= first <= longest, a positive rate and a burst of at least 1");
        }
    }

    /** A key's own delay, in nanoseconds, if it has failed {@code failures} times before this failure. */
    long keyDelayNanos(int failures) {
        long nanos = Durations.saturatedNanos(first);
        long max = Durations.saturatedNanos(longest);
        for (int i = 0; i < failures && nanos < max; i++) {
            nanos = nanos > max / 2 ? max : nanos * 2;
        }
        return nanos;
    }
}
