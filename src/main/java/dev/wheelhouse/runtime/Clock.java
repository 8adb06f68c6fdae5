package dev.wheelhouse.runtime;

import java.time.Duration;
import java.time.Instant;

/**
 * The only source of time. Everything that measures, waits or stamps takes a {@code Clock} through its constructor, so that
 * a test, or a whole simulated system, can say what time it is.
 */
public interface Clock {
    /** The wall-clock time, for what is written into objects. It may jump. */
    Instant now();

    /** A monotonic time in nanoseconds, for deadlines and durations. Its origin means nothing. */
    long nanoTime();

    /** The monotonic time {@code delay} from now, saturating instead of overflowing. */
    default long deadline(Duration delay) {
        long now = nanoTime();
        long nanos = Durations.saturatedNanos(delay);
        long at = now + nanos;
        return nanos > 0 && at < now ? Long.MAX_VALUE : at;
    }

    /** The clock of this machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
