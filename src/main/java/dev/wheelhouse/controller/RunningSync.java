package dev.wheelhouse.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.journal.CurrentEvent;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.journal.Origin;
import dev.wheelhouse.runtime.Clock;

/** A sync in progress. Thread safe, but only one thread reports it. */
public final class RunningSync {
    private static final ThreadLocal<RunningSync> CURRENT = new ThreadLocal<>();

    private final String controller;
    private final Object key;
    private final Supplier<Origin> origin;
    private final Thread thread = Thread.currentThread();
    private final long began;
    private final Instant beganAt;
    private Journal.@Nullable Sync journaled;
    private volatile boolean reported;
    private long nextReport;
    private SyncTrace trace = SyncTrace.NONE;

    /**
     * A sync on this thread, which becomes the {@link #current} one until {@link #end}.
     *
     * @param origin finds out why the key was queued; asked only if the sync writes
     */
    static RunningSync begin(String controller, Object key, Supplier<Origin> origin, Clock clock) {
        RunningSync sync = new RunningSync(controller, key, origin, clock);
        CURRENT.set(sync);
        return sync;
    }

    private RunningSync(String controller, Object key, Supplier<Origin> origin, Clock clock) {
        this.controller = controller;
        this.key = key;
        this.origin = origin;
        this.began = clock.nanoTime();
        this.beganAt = clock.now();
    }

    void end() {
        CURRENT.remove();
    }

    /** The sync that runs on this thread; null if there is none. */
    static @Nullable RunningSync current() {
        return CURRENT.get();
    }

    /** Lets a trace follow this sync from now on. Called on the thread of the sync. */
    void follow(SyncTrace by) {
        trace = by;
    }

    SyncTrace trace() {
        return trace;
    }

    /**
     * The reason of what this thread writes, for the journal: the sync that runs on it. Outside of a sync it is the
     * event that the thread handles.
     *
     * @param component stands for the controller outside of a sync
     */
    public static Journal.Sync reason(String component, Clock clock) {
        RunningSync sync = current();
        return sync != null
                ? sync.journaled(sync.key())
                : new Journal.Sync(component, "", new Origin(CurrentEvent.cause(), 0, 0), clock.now());
    }

    /**
     * This sync, for the journal. Called on the thread of the sync.
     *
     * @param shown the key in words at the first call
     */
    Journal.Sync journaled(String shown) {
        Journal.Sync known = journaled;
        if (known == null) {
            known = new Journal.Sync(controller, shown, origin.get(), beganAt);
            journaled = known;
        }
        return known;
    }

    /** The nanoseconds of the worker's clock when the sync began. */
    long began() {
        return began;
    }

    /** The key in words. */
    public String key() {
        return key.toString();
    }

    /** @param now the nanoseconds of the worker's clock */
    public Duration age(long now) {
        return Duration.ofNanos(now - began);
    }

    /** The current stack of the sync, the innermost frame first; empty if its thread has ended. */
    public StackTraceElement[] stack() {
        return thread.getStackTrace();
    }

    /**
     * Whether to log that this sync seems to block: at the first call, and then once in a period. The worker then logs
     * the sync's end, too.
     *
     * @param now the nanoseconds of the worker's clock
     */
    public boolean takeReport(long now, Duration period) {
        if (reported && now - nextReport < 0) {
            return false;
        }
        reported = true;
        nextReport = now + period.toNanos();
        return true;
    }

    boolean isReported() {
        return reported;
    }
}
