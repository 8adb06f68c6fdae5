package dev.wheelhouse.controller;

import java.time.Duration;

/** A sync in progress. Thread safe, but only one thread reports it. */
public final class RunningSync {
    private final Object key;
    private final Thread thread;
    private final long began;
    private volatile boolean reported;
    private long nextReport;

    RunningSync(Object key, Thread thread, long began) {
        this.key = key;
        this.thread = thread;
        this.began = began;
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
