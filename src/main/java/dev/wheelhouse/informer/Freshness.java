package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceVersions;

/**
 * The requests for a state of a collection that is not older than a time, see {@link SharedIndexInformer#whenFresh}.
 * The Reflector answers them by one consistent read: of the whole collection, or of its version, which the watch then
 * has to reach. Any thread may ask; one Reflector's loop calls the other methods.
 */
final class Freshness {
    private final DeltaFifo<?> fifo;
    /** The time at which the last consistent read began; null before the first one. */
    private @Nullable Long began;
    /** The time at which the consistent read began whose state the cache shows; null before the first one. */
    private @Nullable Long shown;
    private boolean reading;
    private boolean wanted;
    private List<Runnable> waiting = new ArrayList<>();
    /** The version that the watch has to reach; empty if a list answers the requests. */
    private String target = "";

    Freshness(DeltaFifo<?> fifo) {
        this.fifo = fifo;
    }

    /**
     * Runs an action when the cache holds a state that the server had at a time or later: now, or on the informer's
     * loop.
     *
     * @return whether the Reflector has to begin another read
     */
    boolean ask(long since, Runnable action) {
        synchronized (this) {
            if (!isNotBefore(shown, since)) {
                if (!isNotBefore(began, since)) {
                    wanted = true;
                }
                if (wanted || reading) {
                    waiting.add(action);
                } else {
                    fifo.mark(List.of(action));
                }
                return wanted;
            }
        }
        action.run();
        return false;
    }

    private static boolean isNotBefore(@Nullable Long time, long since) {
        return time != null && time - since >= 0;
    }

    /** Whether a consistent read has to begin. */
    synchronized boolean isWanted() {
        return wanted;
    }

    /** Records that a consistent read begins now. */
    synchronized void begins(long now) {
        began = now;
        reading = true;
        wanted = false;
        target = "";
    }

    /** Records that the read found the collection too large for one page, at this version. */
    synchronized void waitFor(String version) {
        target = version;
    }

    /** Whether the watch has to reach a version. */
    synchronized boolean waitsForWatch() {
        return !target.isEmpty();
    }

    /** Records that the watch is at a version. @return whether this answers the requests */
    synchronized boolean reached(String version) {
        boolean answers = !target.isEmpty() && ResourceVersions.atLeast(version, target);
        if (answers) {
            ends();
        }
        return answers;
    }

    /** Records that the whole collection was read. If the read was consistent, it answers the requests. */
    synchronized void ends() {
        if (reading && !wanted) {
            reading = false;
            target = "";
            Long read = began;
            waiting.addFirst(() -> shows(read));
            fifo.mark(waiting);
            waiting = new ArrayList<>();
        }
    }

    private synchronized void shows(@Nullable Long read) {
        shown = read;
    }
}
