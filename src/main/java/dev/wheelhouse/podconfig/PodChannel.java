package dev.wheelhouse.podconfig;

import java.util.ArrayDeque;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * Receives the messages of one source. A full set replaces all waiting messages, so that a source that sends faster
 * than it is read needs no more memory. Thread safe; sending never blocks.
 */
public final class PodChannel {
    /** The maximum number of waiting messages. */
    static final int CAPACITY = 64;

    private final String source;
    private final ArrayDeque<PodUpdate> waiting = new ArrayDeque<>();
    private final Runnable wake;

    PodChannel(String source, Runnable wake) {
        this.source = source;
        this.wake = wake;
    }

    public String source() {
        return source;
    }

    /** Sends the full set of the source's pods. */
    public void set(List<V1Pod> pods) {
        synchronized (this) {
            waiting.clear();
            waiting.add(PodUpdate.set(source, pods));
        }
        wake.run();
    }

    /**
     * Sends a single change.
     *
     * @return false if the channel is full; the caller tries again later
     * @throws IllegalArgumentException if the operation is RECONCILE
     */
    public boolean offer(PodOperation operation, List<V1Pod> pods) {
        if (operation == PodOperation.SET) {
            set(pods);
            return true;
        }
        if (operation == PodOperation.RECONCILE) {
            throw new IllegalArgumentException("the source \"" + source + "\" sends RECONCILE: only the merge may");
        }
        synchronized (this) {
            if (waiting.size() >= CAPACITY) {
                return false;
            }
            waiting.add(new PodUpdate(operation, source, pods));
        }
        wake.run();
        return true;
    }

    synchronized @Nullable PodUpdate peek() {
        return waiting.peek();
    }

    /** Removes a message that was handled, unless a full set has replaced it. */
    synchronized void remove(PodUpdate taken) {
        if (waiting.peek() == taken) {
            waiting.remove();
        }
    }
}
