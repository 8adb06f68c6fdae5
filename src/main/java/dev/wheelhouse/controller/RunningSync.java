package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.journal.Origin;

/** A sync in progress. Thread safe, but only one thread reports it. */
public final class RunningSync {
    private static final ThreadLocal<RunningSync> CURRENT = new ThreadLocal<>();

    private final Object key;
    private final Supplier<Origin> origin;
    private final Thread thread;
    private final long began;
    private volatile boolean reported;
    private long nextReport;
    private SyncTrace trace = SyncTrace.NONE;

    /**
     * A sync on this thread, which becomes the {@link #current} one until {@link #end}.
     *
     * @param origin finds out why the key was queued; asked only if the sync writes
     */
    static RunningSync begin(Object key, Supplier<Origin> origin, long began) {
        RunningSync sync = new RunningSync(key, origin, Thread.currentThread(), began);
        CURRENT.set(sync);
        return sync;
    }

    private RunningSync(Object key, Supplier<Origin> origin, Thread thread, long began) {
        this.key = key;
        this.origin = origin;
        this.thread = thread;
        this.began = began;
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

    /** Why its key was queued. Only until the sync has ended. */
    Origin origin() {
        return origin.get();
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
