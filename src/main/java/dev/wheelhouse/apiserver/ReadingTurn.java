package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import dev.wheelhouse.runtime.Clock;

/**
 * Pauses a virtual thread from time to time while it reads. A virtual thread is not preempted, and keeps its carrier as
 * long as its client sends without a pause; a body of a million chunks of one byte takes seconds. Not thread safe.
 */
final class ReadingTurn {
    private static final long TURN_NANOS = Duration.ofMillis(2).toNanos();

    private final Clock clock;
    private final long pauseNanos;
    private long began;

    /** @param pause the pause after each two milliseconds of reading */
    ReadingTurn(Clock clock, Duration pause) {
        this.clock = clock;
        this.pauseNanos = pause.toNanos();
        this.began = clock.nanoTime();
    }

    /** Called after each read. */
    void goOn() {
        if (clock.nanoTime() - began > TURN_NANOS) {
            LockSupport.parkNanos(this, pauseNanos);
            began = clock.nanoTime();
        }
    }
}
