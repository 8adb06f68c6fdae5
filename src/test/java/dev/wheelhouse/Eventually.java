package dev.wheelhouse;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a condition with a deadline, for tests of code that runs on its own threads. Tests that can step their
 * loops use {@link dev.wheelhouse.world.Cluster} instead.
 */
public final class Eventually {
    private Eventually() {}

    /** @param what the condition, for the failure's message */
    public static void eventually(String what, Duration within, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + within.toNanos();
        Throwable last = null;
        do {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (Exception | AssertionError e) {
                last = e;
            }
            LockSupport.parkNanos(5_000_000);
        } while (System.nanoTime() < deadline);
        throw new AssertionError("not within " + within + ": " + what, last);
    }
}
