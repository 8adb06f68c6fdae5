package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Deletes the Events that nobody has written for an hour (upstream: the option {@code event-ttl} of kube-apiserver, a
 * lease in etcd). It notes the version of the store once a minute. An Event that is not newer than the note of an hour
 * ago is deleted. After a restart the hour begins again.
 */
final class EventExpiry extends SignalledLoop {
    static final Duration LIFE = Duration.ofHours(1);
    static final Duration PERIOD = Duration.ofMinutes(1);
    private static final String EVENTS = ResourceType.EVENTS.groupResource();

    private final ObjectStore store;
    private final Clock clock;
    private final Deque<Note> notes = new ArrayDeque<>();

    private record Note(long nanos, long version) {}

    EventExpiry(ObjectStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    @Override
    public synchronized long step() {
        if (isClosed()) {
            return IDLE;
        }
        long now = clock.nanoTime();
        notes.add(new Note(now, store.version()));
        Note due = null;
        while (now - notes.getFirst().nanos >= LIFE.toNanos()) {
            due = notes.removeFirst();
        }
        if (due != null) {
            expire(due.version);
        }
        return PERIOD.toNanos();
    }

    private void expire(long version) {
        for (StoredObject event : store.snapshot(EVENTS).select(Selection.all())) {
            if (isClosed()) {
                return;
            }
            if (event.version() <= version) {
                try {
                    store.delete(EVENTS, event.namespace(), event.name(), event.version());
                } catch (StoreException.Conflict e) {
                    // Somebody has just written or deleted it.
                } catch (StoreException.Failed | StoreException.Closed e) {
                    return;
                }
            }
        }
    }
}
