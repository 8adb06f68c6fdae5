package dev.wheelhouse.workqueue;

import org.jspecify.annotations.Nullable;

/**
 * All that a queue knows of one key, so that every operation costs one lookup. Upstream's three sets are its flags: dirty
 * (to be worked on), queued (dirty and ready to be taken) and processing. Guarded by the queue's lock.
 */
final class Entry<K> {
    final K key;
    final int hash;
    /** The next entry in its chain of the {@link EntryTable}. */
    @Nullable
    Entry<K> chained;
    boolean dirty;
    boolean queued;
    boolean processing;
    Priority priority = Priority.BACKGROUND;
    int failures;
    long addedAt;
    long startedAt;

    /** When it is due, while it is delayed. */
    DelayHeap.@Nullable Delay<K> delay;

    /** Neighbours in the list of ready keys. */
    @Nullable
    Entry<K> previous;
    @Nullable
    Entry<K> next;

    Entry(K key, int hash) {
        this.key = key;
        this.hash = hash;
    }

    boolean isIdle() {
        return !dirty && !processing && delay == null && failures == 0;
    }
}
