package dev.wheelhouse.apiserver.work;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * The time by which the work of one request has to be done. The transport makes it and {@link #call calls} the work under it;
 * every loop whose number of turns a client chooses calls {@link #check}. Work outside a request (of this process's own
 * controllers, of tests) has no deadline, and {@code check} does nothing.
 *
 * <p>A deadline ends work by a flag and never by {@link Thread#interrupt}: an interrupted thread that reads or writes a file
 * closes it for everybody.
 */
public final class Deadline {
    private static final ThreadLocal<@Nullable Deadline> CURRENT = new ThreadLocal<>();
    /** The clock is read once in this many checks, a power of two. */
    private static final int CHECKS_PER_LOOK = 64;

    private final Clock clock;
    private final long at;
    private volatile boolean ended;
    /** Of the one thread that works. */
    private int checks;

    private Deadline(Clock clock, long at) {
        this.clock = clock;
        this.at = at;
    }

    /** A deadline some time from now. */
    public static Deadline in(Duration time, Clock clock) {
        return new Deadline(clock, clock.deadline(time));
    }

    /**
     * Ends the work of an overdue request. Costs a few nanoseconds: a loop calls it every turn.
     *
     * @throws OverdueException if the request that this thread works on is overdue or given up; it must reach the transport,
     *         so a caller that catches RuntimeException passes it on, or calls {@code check} again
     */
    public static void check() {
        Deadline current = CURRENT.get();
        if (current != null) {
            if (!current.ended && (++current.checks & CHECKS_PER_LOOK - 1) == 0 && current.isOver()) {
                current.ended = true;
            }
            if (current.ended) {
                throw new OverdueException();
            }
        }
    }

    /**
     * As {@link #check}, by a look at the clock every time: for the last step before a change is made for good.
     *
     * @throws OverdueException if the request that this thread works on is overdue or given up
     */
    public static void checkNow() {
        Deadline current = CURRENT.get();
        if (current != null && (current.ended || current.isOver())) {
            current.ended = true;
            throw new OverdueException();
        }
    }

    private boolean isOver() {
        return clock.nanoTime() - at > 0;
    }

    /** Works under this deadline, on this thread. To be called once. */
    public <T> T call(Supplier<T> work) {
        Deadline before = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.get();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** Ends the work at its next check, whatever the time is: nobody waits for it. Any thread may call it. */
    public void giveUp() {
        ended = true;
    }

    /** The nanoseconds that are left; negative past the deadline. */
    public long remaining() {
        return at - clock.nanoTime();
    }
}
