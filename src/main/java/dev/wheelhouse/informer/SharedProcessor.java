package dev.wheelhouse.informer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.runtime.Loop;

/**
 * Passes notifications to every listener (upstream: {@code sharedProcessor} in client-go
 * {@code tools/cache/shared_informer.go}). Callers hold the informer's lock, which orders the calls.
 */
final class SharedProcessor<T extends KubernetesObject> {
    private final CopyOnWriteArrayList<ProcessorListener<T>> listeners = new CopyOnWriteArrayList<>();

    void add(ProcessorListener<T> listener) {
        listeners.add(listener);
    }

    void remove(ProcessorListener<T> listener) {
        listeners.remove(listener);
        listener.close();
    }

    List<ProcessorListener<T>> listeners() {
        return List.copyOf(listeners);
    }

    void distribute(List<Notification<T>> notifications) {
        if (!notifications.isEmpty()) {
            for (ProcessorListener<T> listener : listeners) {
                listener.add(notifications);
            }
        }
    }

    /** Passes notifications to the listeners that {@link #resyncDue} marked. */
    void distributeResync(List<Notification<T>> notifications) {
        for (ProcessorListener<T> listener : listeners) {
            if (listener.takeResync()) {
                listener.add(notifications);
            }
        }
    }

    /**
     * Marks the listeners whose resync is due.
     * @return whether there are any
     */
    boolean resyncDue(long now) {
        boolean due = false;
        for (ProcessorListener<T> listener : listeners) {
            due |= listener.beginResync(now);
        }
        return due;
    }

    /** The nanoseconds until the next resync of any listener; {@link Loop#IDLE} if there is none. */
    long untilResync(long now) {
        long least = Loop.IDLE;
        for (ProcessorListener<T> listener : listeners) {
            least = Math.min(least, listener.untilResync(now));
        }
        return least;
    }

    void close() {
        listeners.forEach(ProcessorListener::close);
    }
}
