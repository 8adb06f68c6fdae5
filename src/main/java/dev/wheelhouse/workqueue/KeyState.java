package dev.wheelhouse.workqueue;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.journal.Cause;

/**
 * The state of one key, in one object, so that each operation needs one lookup. client-go's three sets are flags here:
 * dirty (to be worked on), queued (dirty and ready to be taken) and processing. Guarded by the queue's lock.
 */
final class KeyState<K> {
    final K key;
    final int hash;
    /** The next entry in the same chain of the {@link KeyTable}. */
    @Nullable
    KeyState<K> chained;
    boolean dirty;
    boolean queued;
    boolean processing;
    Priority priority = Priority.BACKGROUND;
    int failures;
    /** Why the key became dirty, and how often it was added since then. */
    Cause cause = Cause.ITSELF;
    int further;
    long addedAt;
    /** The cause with which the key in processing was taken. */
    Cause takenCause = Cause.ITSELF;
    int takenFurther;
    long waited;
    long startedAt;

    /** The due time while the key is delayed; null otherwise. */
    DelayHeap.@Nullable Delay<K> delay;
    /** The due time that the key's last sync asked for; null if it asked for none. The next sync replaces it. */
    DelayHeap.@Nullable Delay<K> requeue;

    /** The neighbours in the list of ready keys. */
    @Nullable
    KeyState<K> previous;
    @Nullable
    KeyState<K> next;

    KeyState(K key, int hash) {
        this.key = key;
        this.hash = hash;
    }

    boolean isIdle() {
        return !dirty && !processing && delay == null && requeue == null && failures == 0;
    }
}
