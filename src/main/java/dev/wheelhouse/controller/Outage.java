package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Ends the backoff of all keys that the API server did not serve, because it was away, sick or busy, as soon as it
 * serves one of them again. Upstream leaves each key to its own backoff, which reaches 16 minutes in a long outage.
 * During the outage one key is retried every five seconds. The workers of one queue share it. Thread safe.
 *
 * @param <K> the keys
 */
public final class Outage<K> {
    /** The time between two retries during an outage. */
    static final Duration PROBE = Duration.ofSeconds(5);

    /** The number of syncs in a row without a response that counts as an outage. */
    private static final int IN_A_ROW = 3;

    private final WorkQueue<K> queue;
    private final Clock clock;
    private final Set<K> unanswered = new LinkedHashSet<>();
    private int inARow;
    private long nextProbe;

    public Outage(WorkQueue<K> queue, Clock clock) {
        this.queue = queue;
        this.clock = clock;
        this.nextProbe = clock.nanoTime();
    }

    /** Records a sync that got no response. The rate limiter has already scheduled the key's retry. */
    synchronized void noAnswer(K key) {
        unanswered.add(key);
        if (++inARow >= IN_A_ROW && clock.nanoTime() - nextProbe >= 0) {
            nextProbe = clock.deadline(PROBE);
            queue.addAfter(key, PROBE);
        }
    }

    /**
     * Records a sync that ended in another way. If the key had no response before, the outage is over: the others are
     * synced.
     */
    void answered(K key) {
        List<K> others = List.of();
        synchronized (this) {
            inARow = 0;
            if (unanswered.remove(key)) {
                others = List.copyOf(unanswered);
                unanswered.clear();
            }
        }
        others.forEach(queue::add);
    }
}
