package dev.wheelhouse.informer;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Whether one registration has been told the whole initial list: a latch that counts the initial adds that are on their way
 * (upstream: client-go {@code tools/cache/synctrack}). Thread safe.
 */
final class SyncTracker {
    private final AtomicLong waiting = new AtomicLong();
    private final BooleanSupplier upstreamSynced;
    private volatile boolean synced;

    /** @param upstreamSynced whether every initial add has been started */
    SyncTracker(BooleanSupplier upstreamSynced) {
        this.upstreamSynced = upstreamSynced;
    }

    /** An initial add was queued. */
    void start() {
        waiting.incrementAndGet();
    }

    /** An initial add was delivered. */
    void finished() {
        if (waiting.decrementAndGet() < 0) {
            throw new IllegalStateException("more initial adds finished than started");
        }
    }

    boolean hasSynced() {
        if (!synced && upstreamSynced.getAsBoolean() && waiting.get() == 0) {
            synced = true;
        }
        return synced;
    }
}
