package dev.wheelhouse.informer;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Tracks whether one handler has got the whole initial list: a latch that counts the pending initial adds (upstream:
 * client-go {@code tools/cache/synctrack}). Thread safe.
 */
final class SyncTracker {
    private final AtomicLong waiting = new AtomicLong();
    private final BooleanSupplier allStarted;
    private volatile boolean synced;

    /** @param allStarted whether {@link #start} was called for all initial adds */
    SyncTracker(BooleanSupplier allStarted) {
        this.allStarted = allStarted;
    }

    /** Counts an initial add that was queued. */
    void start() {
        waiting.incrementAndGet();
    }

    /** Counts an initial add that was delivered. */
    void finished() {
        if (waiting.decrementAndGet() < 0) {
            throw new IllegalStateException("more initial adds finished than started");
        }
    }

    boolean hasSynced() {
        if (!synced && allStarted.getAsBoolean() && waiting.get() == 0) {
            synced = true;
        }
        return synced;
    }
}
