package dev.wheelhouse.node;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/** One reading of both clocks: wall-clock time for timestamps, monotonic time for waiting. */
record Moment(Instant wall, long nanos) {
    static Moment of(Clock clock) {
        return new Moment(clock.now(), clock.nanoTime());
    }

    /** The monotonic time after {@code delay}; {@code Long.MAX_VALUE} if it overflows. */
    long after(Duration delay) {
        long at = nanos + Durations.saturatedNanos(delay);
        return at < nanos ? Long.MAX_VALUE : at;
    }

    /** The wall-clock time in the API's form, in whole seconds. */
    OffsetDateTime stamp() {
        return stamp(wall);
    }

    static OffsetDateTime stamp(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
    }
}
