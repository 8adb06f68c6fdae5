package dev.wheelhouse.runtime;

import java.time.Duration;

/** Arithmetic on durations that never overflows. */
public final class Durations {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Durations() {}

    /** Nanoseconds of a duration; {@code Long.MAX_VALUE} for any duration longer than 292 years. */
    public static long saturatedNanos(Duration duration) {
        return duration.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }
}
