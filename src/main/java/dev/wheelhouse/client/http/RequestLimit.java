package dev.wheelhouse.client.http;

import java.util.concurrent.TimeUnit;

import dev.wheelhouse.runtime.Clock;

/**
 * The most requests a second of one client, after a burst (upstream: client-go {@code util/flowcontrol/throttle.go}).
 * Thread safe.
 */
final class RequestLimit {
    /** The burst where none is given (upstream: {@code DefaultBurst} in client-go's rest/config.go). */
    private static final int DEFAULT_BURST = 10;

    private final long interval;
    private final long burst;
    private final Clock clock;
    /** The time at which the burst is whole again. */
    private long whole;

    /** @param perSecond no limit if it is not positive */
    RequestLimit(double perSecond, int burst, Clock clock) {
        this.interval = perSecond > 0 ? Math.round(1e9 / perSecond) : 0;
        this.burst = (long) ((burst == 0 ? DEFAULT_BURST : burst) * (double) interval);
        this.clock = clock;
        this.whole = clock.nanoTime();
    }

    /** Waits for the turn of the calling thread's request. */
    void await() throws InterruptedException {
        long nanos = interval == 0 ? 0 : reserve();
        if (nanos > 0) {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    }

    /** Takes a turn. @return the nanoseconds until it comes */
    synchronized long reserve() {
        long now = clock.nanoTime();
        whole = (whole - now > 0 ? whole : now) + interval;
        return Math.max(0, whole - now - burst);
    }
}
