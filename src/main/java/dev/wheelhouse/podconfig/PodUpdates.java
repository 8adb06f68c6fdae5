package dev.wheelhouse.podconfig;

import java.util.ArrayDeque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The stream of changes, in order, from the {@link PodStorage} to one consumer. It is bounded: while it is full,
 * nothing is merged, and messages wait in the sources' channels, where a full set replaces older ones. Thread safe.
 */
public final class PodUpdates {
    private final int capacity;
    private final ArrayDeque<PodUpdate> queue = new ArrayDeque<>();
    private Runnable onAdded = () -> {};
    private Runnable onTaken = () -> {};

    PodUpdates(int capacity) {
        this.capacity = capacity;
    }

    /** Removes and returns the next change; null if there is none. */
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

    public synchronized int size() {
        return queue.size();
    }

    /** Sets a callback that runs on the producer's thread when there is a change to take. It must not block. */
    public synchronized void onAdded(Runnable wake) {
        onAdded = wake;
    }

    synchronized void onTaken(Runnable wake) {
        onTaken = wake;
    }

    synchronized boolean hasRoom() {
        return queue.size() < capacity;
    }

    /** Appends the changes of one merge. They may exceed the capacity by up to four, so that no merge is split. */
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
