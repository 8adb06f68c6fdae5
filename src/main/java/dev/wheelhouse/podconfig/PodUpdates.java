package dev.wheelhouse.podconfig;

import java.util.ArrayDeque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The stream of changes, in order, from the {@link PodStorage} to its one consumer. It is bounded: while it is full, nothing is
 * merged, and what the sources say meanwhile waits, conflated, in their channels. Thread safe.
 */
public final class PodUpdates {
    private final int capacity;
    private final ArrayDeque<PodUpdate> queue = new ArrayDeque<>();
    private Runnable onAdded = () -> {};
    private Runnable onTaken = () -> {};

    PodUpdates(int capacity) {
        this.capacity = capacity;
    }

    /** The next change, or null if there is none now. */
    public @Nullable PodUpdate poll() {
        PodUpdate update;
        Runnable wake;
        synchronized (this) {
            boolean full = !hasRoom();
            update = queue.poll();
            wake = full ? onTaken : () -> {};
        }
        wake.run();
        return update;
    }

    public synchronized boolean isEmpty() {
        return queue.isEmpty();
    }

    public synchronized int size() {
        return queue.size();
    }

    /** What to run, on the producer's thread, when there is something to take. It must not block. */
    public synchronized void onAdded(Runnable wake) {
        onAdded = wake;
    }

    synchronized void onTaken(Runnable wake) {
        onTaken = wake;
    }

    synchronized boolean hasRoom() {
        return queue.size() < capacity;
    }

    /** Adds the changes of one merge, at most five: they may exceed the bound by that much, so that none is torn apart. */
    void addAll(List<PodUpdate> updates) {
        Runnable wake;
        synchronized (this) {
            queue.addAll(updates);
            wake = onAdded;
        }
        if (!updates.isEmpty()) {
            wake.run();
        }
    }
}
