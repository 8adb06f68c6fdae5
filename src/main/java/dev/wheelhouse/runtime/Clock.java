package dev.wheelhouse.runtime;

import java.time.Duration;
import java.time.Instant;

import dev.wheelhouse.api.PublicApi;

/**
 * The source of time. A class that measures time, waits or writes timestamps takes a {@code Clock} in its constructor.
 * A test or a simulation passes a clock that it moves by hand. Only the classes of this package read the system's time.
 * Outside of Wheelhouse, do not implement it: later versions add methods.
 */
@PublicApi
public interface Clock {
    /** The wall-clock time, for timestamps in objects. It may jump, also backwards. */
    Instant now();

    /**
     * A monotonic time in nanoseconds, for deadlines and durations. Only differences between two values have a meaning.
     */
    long nanoTime();

    /** The monotonic time after {@code delay}, in nanoseconds. A sum that overflows becomes {@code Long.MAX_VALUE}. */
    default long deadline(Duration delay) {
        long now = nanoTime();
        long nanos = Durations.saturatedNanos(delay);
        long at = now + nanos;
        return nanos > 0 && at < now ? Long.MAX_VALUE : at;
    }

    /** The time until a {@link #deadline}; zero if it has passed. */
    default Duration until(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - nanoTime()));
    }

    /** The clock of this machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
