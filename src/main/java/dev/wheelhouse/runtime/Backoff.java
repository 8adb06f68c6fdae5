package dev.wheelhouse.runtime;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * An exponential backoff with jitter. It starts again at the first delay after a quiet time without failures, as
 * client-go's reflector does ({@code wait.Backoff} with a reset duration). Not thread safe: each loop has its own.
 */
public final class Backoff {
    private final long initialNanos;
    private final long maxNanos;
    private final double factor;
    private final double jitter;
    private final long resetNanos;
    private final Clock clock;
    private final RandomGenerator random;
    private double current;
    private long last;
    private int failures;

    /**
     * @param initial the first delay
     * @param max the longest delay, before jitter is added
     * @param factor the growth of the delay with each failure, at least 1
     * @param jitter the largest random addition, as a fraction of the delay; 0 means none
     * @param resetAfter the next delay is {@code initial} again if the last failure is longer ago than this
     */
    public Backoff(Duration initial, Duration max, double factor, double jitter, Duration resetAfter, Clock clock,
            RandomGenerator random) {
        if (initial.isNegative() || max.compareTo(initial) < 0 || factor < 1 || jitter < 0) {
            throw new IllegalArgumentException(
                    "backoff from " + initial + " to " + max + ", factor " + factor + ", jitter "
                            + jitter + ": need 0 <= initial <= max, factor >= 1 and jitter >= 0");
        }
        this.initialNanos = Durations.saturatedNanos(initial);
        this.maxNanos = Durations.saturatedNanos(max);
        this.factor = factor;
        this.jitter = jitter;
        this.resetNanos = Durations.saturatedNanos(resetAfter);
        this.clock = clock;
        this.random = random;
        this.current = initialNanos;
    }

    /** Counts a failure and returns the delay before the next attempt. */
    public Duration next() {
        long now = clock.nanoTime();
        if (failures > 0 && now - last > resetNanos) {
            reset();
        }
        last = now;
        failures++;
        double delay = current;
        current = Math.min(current * factor, maxNanos);
        return Duration.ofNanos((long) (delay + delay * jitter * random.nextDouble()));
    }

    /** The number of failures since the last reset. */
    public int failures() {
        return failures;
    }

    /** Forgets all failures. */
    public void reset() {
        current = initialNanos;
        failures = 0;
    }
}
