package dev.wheelhouse.informer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tracks whether one handler has got the whole initial list: a latch that counts the pending initial adds (upstream:
 * client-go {@code tools/cache/synctrack}), and one more for the end of the list. Thread safe.
 */
final class SyncTracker {
    private final AtomicLong waiting = new AtomicLong(1);
    private final CompletableFuture<Void> synced = new CompletableFuture<>();

    /** Counts an initial add that was queued. */
    void start() {
        waiting.incrementAndGet();
    }

    /** Counts an initial add that was delivered, and once that all initial adds were queued. */
    void finished() {
        long left = waiting.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("more initial adds finished than started");
        }
        if (left == 0) {
            synced.complete(null);
        }
    }

    boolean hasSynced() {
        return synced.isDone();
    }

    /** Calls an action once, as soon as {@link #hasSynced} is true. */
    void whenSynced(Runnable action) {
        CompletableFuture<Void> unused = synced.thenRun(action);
    }
}
