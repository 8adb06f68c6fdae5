package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import dev.wheelhouse.runtime.Clock;

/**
 * Waits for a condition with a deadline, in tests of code that runs on its own threads. With a manual clock a test
 * calls {@link TestServer#settle()} instead and does not wait.
 */
public final class Eventually {
    private static final long PAUSE = Duration.ofMillis(5).toNanos();

    private Eventually() {}

    /**
     * Returns as soon as the condition is true. A condition that throws, for example because an object does not exist
     * yet or an assertion fails, is not true yet.
     *
     * @param what the condition in words, for the failure's message
     * @throws AssertionError after the deadline; its cause is the last exception of the condition, if it threw
     */
    public static void eventually(String what, Duration within, Callable<Boolean> condition) {
        Clock clock = Clock.system();
        long deadline = clock.deadline(within);
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
            LockSupport.parkNanos(PAUSE);
        } while (clock.nanoTime() < deadline);
        throw new AssertionError("not within " + within + ": " + what + (last == null ? "" : " (" + last + ")"), last);
    }
}
