package dev.wheelhouse.apiserver.work;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * The time by which the work of one request must be done. The transport creates it and runs the work under it with
 * {@link #call}. Every loop whose length a client chooses calls {@link #check}. Work outside a request, such as that of
 * this process' own controllers, has no deadline, and {@code check} does nothing.
 *
 * <p>A deadline ends work by an exception at the next check, never by {@link Thread#interrupt}: an interrupt during
 * file I/O closes the file for all threads.
 */
public final class Deadline {
    private static final ThreadLocal<@Nullable Deadline> CURRENT = new ThreadLocal<>();
    /** {@link #check} reads the clock once in this many calls, a power of two. */
    private static final int CHECKS_PER_CLOCK_READ = 64;

    private final Clock clock;
    private final long at;
    private volatile boolean ended;
    /** Only the working thread uses it. */
    private int checks;

    private Deadline(Clock clock, long at) {
        this.clock = clock;
        this.at = at;
    }

    /** A deadline that is {@code time} from now. */
    public static Deadline in(Duration time, Clock clock) {
        return new Deadline(clock, clock.deadline(time));
    }

    /**
     * Ends the work of an overdue request. It costs a few nanoseconds, so a loop can call it in every turn. It reads
     * the clock only now and then and may notice the deadline some calls late.
     *
     * @throws OverdueException if the request that this thread works on is overdue or given up. The exception must
     *         reach the transport: a caller that catches RuntimeException rethrows it, or calls {@code check} again
     */
    public static void check() {
        Deadline current = CURRENT.get();
        if (current != null && (current.ended
                || (++current.checks & CHECKS_PER_CLOCK_READ - 1) == 0 && current.isOver())) {
            current.ended = true;
            throw new OverdueException();
        }
    }

    /**
     * Ends the work of an overdue request as {@link #check} does, but always reads the clock. It is for the last step
     * before a change is committed.
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

    /** The remaining time of the request that this thread works on, but at most {@code most}. */
    public static Duration atMost(Duration most) {
        Deadline current = CURRENT.get();
        Duration left = current == null ? most : Duration.ofNanos(current.remaining());
        return left.compareTo(most) < 0 ? left : most;
    }

    private boolean isOver() {
        return clock.nanoTime() - at > 0;
    }

    /** Runs the work on this thread under this deadline. May be called once. */
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

    /** Makes the work end at its next check, because nobody waits for its result any more. Any thread may call it. */
    public void giveUp() {
        ended = true;
    }

    /** The remaining time in nanoseconds; negative past the deadline. */
    public long remaining() {
        return at - clock.nanoTime();
    }
}
