package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.runtime.Clock;

/**
 * The status of a Reflector: its last failure, its last event and its counters. Changes are also passed to the meters.
 * The Reflector's loop writes; any thread may read.
 */
final class ReflectorStatus {
    /** Bounds the memory, however many objects a new class cannot read. */
    private static final int MOST_UNREADABLE = 1_000;

    private final Clock clock;
    private final InformerMeters meters;
    private final Map<String, Long> relists = new ConcurrentHashMap<>();
    private final Map<String, Long> watchEnds = new ConcurrentHashMap<>();
    private final Map<ObjectKey, DecodeFailure> unreadable = new ConcurrentHashMap<>();
    private final List<Runnable> unreadableChanged = new CopyOnWriteArrayList<>();
    private volatile @Nullable Instant lastEvent;
    private volatile InformerState.@Nullable Failure failure;
    private volatile @Nullable String lastDecodeError;
    private volatile long decodeErrors;
    private volatile long bytes;
    private volatile long events;

    ReflectorStatus(Clock clock, InformerMeters meters) {
        this.clock = clock;
        this.meters = meters;
    }

    /** Records a list, event or bookmark from the server; an earlier failure is over. */
    void heard() {
        lastEvent = clock.now();
        failure = null;
    }

    void failed(String verb, int status, String message) {
        failure = new InformerState.Failure(verb, status, message);
    }

    /** Records that an earlier failure is over, although no event has come yet. */
    void recovered() {
        failure = null;
    }

    void listed(Duration took, int items) {
        meters.listed(took, items, true);
    }

    void listFailed(Duration took) {
        meters.listed(took, 0, false);
    }

    void relisted(String cause) {
        relists.merge(cause, 1L, Long::sum);
        meters.relisted(cause);
    }

    void watchStarted() {
        meters.watchStarted();
    }

    void watchEnded(String cause, WatchSession<?> watch) {
        watchEnds.merge(cause, 1L, Long::sum);
        meters.watchEnded(cause, watch.lasted(), watch.events());
    }

    /** Records an object that could not be decoded. Only one thread calls it. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void skipped(DecodeFailure what) {
        decodeErrors++;
        lastDecodeError = what.toString();
        meters.decodeErrors(1);
        ObjectKey key = what.key();
        if (key != null && (unreadable.size() < MOST_UNREADABLE || unreadable.containsKey(key))
                && !what.equals(unreadable.put(key, what))) {
            unreadableChanged.forEach(Runnable::run);
        }
    }

    void onUnreadable(Runnable action) {
        unreadableChanged.add(action);
    }

    /** Records that a list found no unreadable objects but these. */
    void unreadable(Set<ObjectKey> keys) {
        if (unreadable.keySet().retainAll(keys)) {
            unreadableChanged.forEach(Runnable::run);
        }
    }

    /** Records that objects were decoded, or are gone. */
    void readable(Stream<ObjectKey> keys) {
        if (!unreadable.isEmpty() && keys.filter(key -> unreadable.remove(key) != null).count() > 0) {
            unreadableChanged.forEach(Runnable::run);
        }
    }

    /**
     * Records what a step read. Only one thread calls it.
     * @param more the bytes since the last call
     */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void read(int eventCount, long more) {
        if (eventCount > 0) {
            lastEvent = clock.now();
            events += eventCount;
            meters.events(eventCount);
        }
        if (more > 0) {
            bytes += more;
            meters.bytesRead(more);
        }
    }

    /** The time of the last list, event or bookmark from the server; null before the first one. */
    @Nullable
    Instant lastEvent() {
        return lastEvent;
    }

    InformerState.@Nullable Failure failure() {
        return failure;
    }

    /** @param queued the changes that are not in the cache yet */
    InformerState.Counts counts(long queued) {
        return new InformerState.Counts(bytes, events, new TreeMap<>(relists), new TreeMap<>(watchEnds), decodeErrors,
                lastDecodeError, queued, List.copyOf(unreadable.values()));
    }
}
