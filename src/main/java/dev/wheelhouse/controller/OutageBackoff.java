package dev.wheelhouse.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Records the keys whose last sync failed, and ends the backoff of all keys that the API server did not serve, as soon
 * as it serves one of them again. A sync is not served if its request failed for a reason of the server
 * ({@link dev.wheelhouse.api.KubeApiException#isUnrelatedToObject()}). After three such syncs in a row, one key is
 * retried every five seconds. Upstream leaves each key to its own backoff, which reaches 16 minutes in a long outage.
 * The workers of one queue share it. Thread safe.
 *
 * @param <K> the keys
 */
public final class OutageBackoff<K> {
    /** The time between two retries during an outage. */
    static final Duration PROBE = Duration.ofSeconds(5);

    /** The number of syncs in a row that are not served, from which on there is an outage. */
    private static final int OUTAGE_AFTER = 3;

    /** The number of failing keys whose errors are kept. Of further ones only the number is known. */
    private static final int MOST_ERRORS = 1000;
    private static final int LONGEST_ERROR = 500;

    private final WorkQueue<K> queue;
    private final Clock clock;
    private final Map<K, Failure> failing = new ConcurrentHashMap<>();
    private final Set<K> unserved = new LinkedHashSet<>();
    private int unservedInARow;
    private long nextProbe;

    private record Failure(Instant since, String error) {}

    public OutageBackoff(WorkQueue<K> queue, Clock clock) {
        this.queue = queue;
        this.clock = clock;
        this.nextProbe = clock.nanoTime();
    }

    /**
     * Records a sync that failed.
     * @return whether the key's last sync did not fail with the same error
     */
    boolean failed(K key, String error) {
        String kept = failing.size() >= MOST_ERRORS && !failing.containsKey(key)
                ? "the error is in the log"
                : error.substring(0, Math.min(error.length(), LONGEST_ERROR));
        Failure before = failing.get(key);
        failing.put(key, new Failure(before == null ? clock.now() : before.since, kept));
        return before == null || !before.error.equals(kept);
    }

    /** Records a sync that did not fail. */
    void succeeded(K key) {
        if (!failing.isEmpty()) {
            failing.remove(key);
        }
    }

    /** The number of keys whose last sync failed. */
    public int failingKeys() {
        return failing.size();
    }

    /** Some of the keys whose last sync failed, those that have failed for longest first. */
    public List<FailingKey> failing(int most) {
        return failing.entrySet().stream().sorted(Comparator.comparing(entry -> entry.getValue().since)).limit(most)
                .map(entry -> new FailingKey(entry.getKey().toString(), entry.getValue().since,
                        queue.numRequeues(entry.getKey()), entry.getValue().error, nextTry(entry.getKey())))
                .toList();
    }

    private @Nullable Instant nextTry(K key) {
        long nanos = queue.nanosToDue(key);
        return nanos < 0 ? null : clock.now().plusNanos(nanos);
    }

    /**
     * Queues keys whose last sync failed, without waiting for the end of their delays.
     *
     * @param key the key in words; empty for all
     * @return the number of these keys
     */
    public int retry(String key) {
        List<K> wanted = failing.keySet().stream().filter(known -> key.isEmpty() || known.toString().equals(key))
                .toList();
        wanted.forEach(queue::add);
        return wanted.size();
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
