package dev.wheelhouse.runtime;

import java.time.Duration;
import java.time.Instant;

/** A clock that the test moves by hand. */
public final class ManualClock implements Clock {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long nanos = 1;

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public synchronized long nanoTime() {
        return nanos;
    }

    public synchronized void advance(Duration by) {
        now = now.plus(by);
        nanos += by.toNanos();
    }
}
