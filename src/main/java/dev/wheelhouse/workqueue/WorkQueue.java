package dev.wheelhouse.workqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.journal.Origin;

/**
 * A queue of keys to work on (upstream: client-go {@code util/workqueue}). A key that is added several times before a
 * worker takes it is taken once. A key that is added while a worker processes it is taken again after {@link #done}, so
 * that two workers never process the same key. Thread safe.
 *
 * @param <K> the keys, with value equality
 */
public interface WorkQueue<K> {
    /** Adds a key as {@link Priority#LIVE}. Does nothing after {@link #shutDown}. */
    default void add(K key) {
        add(key, Priority.LIVE);
    }

    /**
     * Adds a key with a priority. If the key is already waiting, the higher priority counts. Does nothing after
     * {@link #shutDown}.
     */
    void add(K key, Priority priority);

    /**
     * Adds a key as {@link Priority#LIVE} after a delay; at once if the delay is not positive. If the key is already
     * delayed, the earlier due time counts. Does nothing after {@link #shutDown}.
     */
    void addAfter(K key, Duration delay);

    /**
     * Counts a failure of a key, and adds the key after the delay that the rate limiter demands. Does nothing after
     * {@link #shutDown}.
     */
    default void addRateLimited(K key) {
        addRateLimited(key, Duration.ZERO);
    }

    /** Like {@link #addRateLimited(Object)}, but waits at least {@code atLeast}, for example a server's Retry-After. */
    void addRateLimited(K key, Duration atLeast);

    /**
     * Ends a sync of a key that needs no retry: resets its failure count, and adds it as {@link Priority#LIVE} after
     * the delay that the sync asks for, in place of the delay that an earlier sync asked for. A delay by
     * {@link #addAfter} counts beside it. Adds nothing after {@link #shutDown}.
     *
     * @param next zero for no delay: the key is not added
     */
    void succeeded(K key, Duration next);

    /** Resets the failure count of a key. */
    void forget(K key);

    /** The failures of a key since its last {@link #forget}. */
    int numRequeues(K key);

    /** Takes the next key without waiting; null if none is ready. The caller must call {@link #done} for it. */
    @Nullable
    K poll();

    /**
     * Waits until a key is ready or a delayed key is due, or the queue is shut down. It may return early.
     *
     * @param nanos the longest time to wait, in nanoseconds
     * @throws InterruptedException if the thread was interrupted
     */
    void awaitReady(long nanos) throws InterruptedException;

    /** The nanoseconds until the next delayed key is due; {@code Long.MAX_VALUE} if no key is delayed. */
    long nanosToNextDue();

    /** The nanoseconds until a delayed key is due; -1 if it is not delayed. */
    long nanosToDue(K key);

    /** Wakes another waiting thread if a key is ready, for a thread that was woken and takes no key. */
    void passOn();

    /** Ends the processing of a key that {@link #poll} returned. Does nothing for other keys. */
    void done(K key);

    /** Why and when a key was added that {@link #poll} returned and {@link #done} has not ended. */
    Origin origin(K key);

    /** The number of keys that are ready to be taken. Delayed keys do not count. */
    int size();

    /**
     * Ignores new keys from now on, drops delayed ones and wakes all waiting threads. Ready keys can still be taken.
     */
    void shutDown();

    /** Whether {@link #shutDown} was called. */
    boolean isShutDown();

    /**
     * Waits, after {@link #shutDown}, until no key is in processing. Ready keys do not count.
     *
     * @return false if a key is still in processing after {@code within}
     */
    boolean awaitIdle(Duration within) throws InterruptedException;
}
