package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Ends the backoff of all keys that the API server did not serve, as soon as it serves one of them again. A sync is not
 * served if its request failed for a reason of the server ({@link dev.wheelhouse.api.ApiError#isUnrelatedToObject()}).
 * After three such syncs in a row, one key is retried every five seconds. Upstream leaves each key to its own backoff,
 * which reaches 16 minutes in a long outage. The workers of one queue share it. Thread safe.
 *
 * @param <K> the keys
 */
public final class Outage<K> {
    /** The time between two retries during an outage. */
    static final Duration PROBE = Duration.ofSeconds(5);

    /** The number of syncs in a row that are not served, from which on there is an outage. */
    private static final int OUTAGE_AFTER = 3;

    private final WorkQueue<K> queue;
    private final Clock clock;
    private final Set<K> unserved = new LinkedHashSet<>();
    private int unservedInARow;
    private long nextProbe;

    public Outage(WorkQueue<K> queue, Clock clock) {
        this.queue = queue;
        this.clock = clock;
        this.nextProbe = clock.nanoTime();
    }

    /** Records a sync that was not served. The rate limiter has already scheduled the key's retry. */
    synchronized void notServed(K key) {
        unserved.add(key);
        if (++unservedInARow >= OUTAGE_AFTER && clock.nanoTime() - nextProbe >= 0) {
            nextProbe = clock.deadline(PROBE);
            queue.addAfter(key, PROBE);
        }
    }

    /**
     * Records a sync that ended in another way. If an earlier sync of the key was not served, the outage is over, and
     * the other keys are synced.
     */
    void served(K key) {
        List<K> others = List.of();
        synchronized (this) {
            unservedInARow = 0;
            if (unserved.remove(key)) {
                others = List.copyOf(unserved);
                unserved.clear();
            }
        }
        others.forEach(queue::add);
    }
}
