package dev.wheelhouse.podconfig;

import java.util.ArrayDeque;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * Where one source puts what it has to say. A full set supersedes whatever still waits, so a source that repeats itself faster
 * than it is heard costs no memory. Thread safe; sends never block.
 */
public final class PodChannel {
    /** How many single changes may wait. */
    static final int CAPACITY = 64;

    private final String source;
    private final ArrayDeque<PodUpdate> waiting = new ArrayDeque<>();
    private final Runnable wake;

    PodChannel(String source, Runnable wake) {
        this.source = source;
        this.wake = wake;
    }

    /** The source's name. */
    public String source() {
        return source;
    }

    /** Sends all that the source has. */
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
     * @return false if so many wait already that it was not taken: try again later
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

    /** Removes a message that was taken, unless a full set has superseded it meanwhile. */
    synchronized void remove(PodUpdate taken) {
        if (waiting.peek() == taken) {
            waiting.remove();
        }
    }
}
