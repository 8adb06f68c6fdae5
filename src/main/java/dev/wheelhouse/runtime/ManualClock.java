package dev.wheelhouse.runtime;

import java.time.Duration;
import java.time.Instant;

import dev.wheelhouse.api.PublicApi;

/** A clock for tests, which stands still until it is advanced by hand. It begins with the year 2026. Thread safe. */
@PublicApi
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

    /** Lets time pass. */
    public synchronized void advance(Duration by) {
        now = now.plus(by);
        nanos += by.toNanos();
    }

    /**
     * Sets the wall clock forward, or back by a negative duration, as an administrator or NTP does. Deadlines and
     * delays do not move.
     */
    public synchronized void jump(Duration by) {
        now = now.plus(by);
    }
}
