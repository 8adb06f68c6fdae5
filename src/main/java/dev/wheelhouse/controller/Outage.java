package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Ends the backoff of keys that the API server did not serve, as it was away, sick or busy, as soon as it serves one of them again;
 * upstream leaves each to its own, which after a long outage is up to 16 minutes away. While none is served, one key asks every
 * five seconds. Shared
 * by the workers of one queue. Thread safe.
 *
 * @param <K> the keys
 */
public final class Outage<K> {
    /** How often one key asks while there is no answer. */
    static final Duration PROBE = Duration.ofSeconds(5);

    /** So many keys in a row without an answer are more than a mishap of one. */
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

    /** The sync of a key got no answer; the rate limiter has already set when it comes back at the latest. */
    synchronized void noAnswer(K key) {
        unanswered.add(key);
        if (++inARow >= IN_A_ROW && clock.nanoTime() - nextProbe >= 0) {
            nextProbe = clock.deadline(PROBE);
            queue.addAfter(key, PROBE);
        }
    }

    /** The sync of a key ended in another way. One that got no answer before has got one now: the others may go on. */
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
