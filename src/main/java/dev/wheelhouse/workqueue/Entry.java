package dev.wheelhouse.workqueue;

import org.jspecify.annotations.Nullable;

/**
 * All that a queue knows of one key, so that every operation costs one lookup. Upstream's three sets are its flags: dirty
 * (to be worked on), queued (dirty and ready to be taken) and processing. Guarded by the queue's lock.
 */
final class Entry<K> {
    static final int NOT_DELAYED = -1;

    final K key;
    boolean dirty;
    boolean queued;
    boolean processing;
    Priority priority = Priority.BACKGROUND;
    int failures;
    long addedAt;
    long startedAt;

    /** Position in the heap of delayed keys. */
    int heapIndex = NOT_DELAYED;
    long dueAt;
    long dueOrder;

    /** Neighbours in the list of ready keys. */
    @Nullable
    Entry<K> previous;
    @Nullable
    Entry<K> next;

    Entry(K key) {
        this.key = key;
    }

    boolean isIdle() {
        return !dirty && !processing && heapIndex == NOT_DELAYED && failures == 0;
    }
}
