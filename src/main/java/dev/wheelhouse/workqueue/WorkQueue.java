package dev.wheelhouse.workqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A queue of keys to work on (upstream: client-go {@code util/workqueue}). A key that is added several times before it is
 * taken is taken once; a key that is added while it is being worked on is taken again after {@link #done}, never by two
 * workers at once. Thread safe.
 *
 * @param <K> the keys, with value equality
 */
public interface WorkQueue<K> {
    /** Adds a key as {@link Priority#LIVE}. Does nothing once the queue is shutting down. */
    default void add(K key) {
        add(key, Priority.LIVE);
    }

    /** Adds a key that may wait for more urgent ones; the highest priority it was added with since it was taken counts. */
    void add(K key, Priority priority);

    /** Adds a key after a delay; an earlier due time of the same key wins. */
    void addAfter(K key, Duration delay);

    /** Adds a key after the delay that the rate limiter demands, and counts a failure of that key. */
    default void addRateLimited(K key) {
        addRateLimited(key, Duration.ZERO);
    }

    /** The same, but not before {@code atLeast} has passed, as a server's Retry-After demands. */
    void addRateLimited(K key, Duration atLeast);

    /** Forgets the failures of a key. */
    void forget(K key);

    /** Failures counted for a key since it was last forgotten. */
    int numRequeues(K key);

    /** Takes the next key if there is one, without waiting. The taker must call {@link #done}. */
    @Nullable
    K poll();

    /**
     * Waits for a key to be ready to take.
     *
     * @param nanos the longest time to wait, in nanoseconds
     */
    void awaitReady(long nanos) throws InterruptedException;

    /** Nanoseconds until the next delayed key is due; {@code Long.MAX_VALUE} if there is none. */
    long nanosToNextDue();

    /** Ends the work on a key that was taken; without effect on any other. */
    void done(K key);

    /** Keys that wait to be taken; delayed ones do not count. */
    int size();

    /** Takes no more keys, forgets delayed ones, wakes all waiters; keys that are queued can still be taken. */
    void shutDown();

    boolean isShutDown();

    /**
     * Waits, once it is shut down, until no key is being worked on; keys that are queued do not count.
     *
     * @return whether that came to pass within the time
     */
    boolean awaitIdle(Duration within) throws InterruptedException;
}
