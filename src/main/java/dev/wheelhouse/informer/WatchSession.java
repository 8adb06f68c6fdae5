package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;

/**
 * One open watch, read in batches. If it streams the initial state, it collects the initial events and passes them on
 * together when they end. One Reflector's loop reads it; any thread may close it.
 */
final class WatchSession<T extends KubernetesObject> {
    /** The receiver of a watch's events. */
    interface Sink<T> {
        /**
         * Receives changes and the version that they lead to. A bookmark brings a version without changes. The version
         * is empty if the changed objects have none.
         */
        void changed(List<Delta<T>> changes, String version);

        /** Receives the complete initial state. */
        void initialState(Collection<T> objects, String version);

        void undecodable(DecodeFailure failure);
    }

    /** The outcome of a read. */
    enum Outcome {
        /** At least one event was read. */
        EVENTS,
        /** No event is available yet. */
        NOTHING,
        /** The server ended the watch without an error. */
        ENDED,
        /** No event arrived within the deadline. */
        SILENT
    }

    /** The longest gap between two events of an initial state; after a longer one the informer lists instead. */
    private static final long AGAIN = Duration.ofSeconds(1).toNanos();
    private static final long LIST_DEADLINE = Duration.ofSeconds(10).toNanos();

    private final WatchStream<T> stream;
    private final Sink<T> sink;
    private final ExpectedType<T> expected;
    private final InformerOptions options;
    private final Clock clock;
    private final ReflectorStatus status;
    private final boolean wakes;
    private final long opened;
    private final List<Delta<T>> batch = new ArrayList<>();
    private String batchVersion = "";
    /** The initial state while it is being streamed, else null. */
    private @Nullable Map<ObjectKey, T> initial;
    private Duration silence;
    private long lastHeard;
    private long bytesCounted;
    private long eventsCounted;

    /**
     * @param initialState whether the watch first streams the initial state
     * @param wake called when there may be an event to read, if the stream can signal that
     */
    WatchSession(WatchStream<T> stream, boolean initialState, Sink<T> sink, ExpectedType<T> expected,
            InformerOptions options, Clock clock, ReflectorStatus status, Runnable wake) {
        this.stream = stream;
        this.sink = sink;
        this.expected = expected;
        this.options = options;
        this.clock = clock;
        this.status = status;
        this.initial = initialState ? new LinkedHashMap<>() : null;
        this.wakes = stream.onReady(wake);
        this.silence = options.silenceDeadline();
        this.opened = clock.nanoTime();
        this.lastHeard = opened;
    }

    /** Allows the watch, until its first event, to stay silent for this time in addition to the deadline. */
    void mayBeSilentFor(Duration time) {
        silence = options.silenceDeadline().plus(time);
    }

    /** The time without an event after which the watch counts as broken. */
    Duration silence() {
        return silence;
    }

    /**
     * Reads the available events, up to a batch, and passes them on. If there is none, waits for the first one, if the
     * stream can wait.
     *
     * @param nanos how long to wait at most
     * @throws KubeApiException if the connection broke, or the server ended the watch with an error; the events before
     * it were passed on
     */
    Outcome read(long nanos) throws InterruptedException {
        int events = 0;
        try {
            WatchEvent<T> event = stream.next(Duration.ofNanos(Math.max(0, Math.min(nanos, untilSilent()))));
            while (event != null) {
                events++;
                take(event);
                event = events < options.batch() ? stream.next(Duration.ZERO) : null;
            }
        } finally {
            if (events > 0) {
                lastHeard = clock.nanoTime();
                silence = options.silenceDeadline();
                eventsCounted += events;
            }
            long bytes = stream.bytesRead();
            status.read(events, bytes - bytesCounted);
            bytesCounted = bytes;
            handOn();
        }
        if (events == 0 && stream.isEnded()) {
            return Outcome.ENDED;
        }
        // Check this after events too: live events must not keep a stuck initial state alive.
        if (untilSilent() <= 0) {
            return Outcome.SILENT;
        }
        return events > 0 ? Outcome.EVENTS : Outcome.NOTHING;
    }

    /**
     * The nanoseconds until the watch counts as broken. While the initial state is streamed, its deadline limits the
     * gap between two events, and six times that deadline the whole stream.
     */
    long untilSilent() {
        long now = clock.nanoTime();
        if (initial == null) {
            return lastHeard + silence.toNanos() - now;
        }
        return Math.min(lastHeard + LIST_DEADLINE, opened + 6 * LIST_DEADLINE) - now;
    }

    private void take(WatchEvent<T> event) {
        switch (event) {
            case WatchEvent.Added<T> added -> changed(Delta.Type.ADDED, added.object());
            case WatchEvent.Modified<T> modified -> changed(Delta.Type.UPDATED, modified.object());
            case WatchEvent.Deleted<T> deleted -> changed(Delta.Type.DELETED, deleted.object());
            case WatchEvent.Bookmark<T> bookmark -> bookmark(bookmark);
            case WatchEvent.Undecodable<T> undecodable -> undecodable(undecodable);
            case WatchEvent.Failed<T> failed -> throw failed.error();
        }
    }

    private void changed(Delta.Type type, T object) {
        if (!expected.accepts(object)) {
            sink.undecodable(expected.failure(object));
            return;
        }
        ObjectKey key = ObjectKey.of(object);
        Map<ObjectKey, T> gathering = initial;
        if (gathering != null) {
            if (type == Delta.Type.DELETED) {
                gathering.remove(key);
            } else {
                gathering.put(key, object);
            }
            return;
        }
        String version = object.getMetadata().getResourceVersion();
        if (version != null) {
            batchVersion = ResourceVersions.later(batchVersion, version);
        }
        batch.add(new Delta<>(type, key, object));
    }

    private void bookmark(WatchEvent.Bookmark<T> bookmark) {
        Map<ObjectKey, T> gathered = initial;
        if (gathered == null) {
            batchVersion = bookmark.resourceVersion();
        } else if (bookmark.initialEventsEnd()) {
            initial = null;
            sink.initialState(gathered.values(), bookmark.resourceVersion());
        }
    }

    private void undecodable(WatchEvent.Undecodable<T> event) {
        sink.undecodable(event.failure());
        ObjectKey key = event.failure().key();
        if (event.deleted() && key != null && initial == null) {
            batch.add(new Delta<>(Delta.Type.DELETED, key, null));
        }
    }

    private void handOn() {
        if (!batch.isEmpty() || !batchVersion.isEmpty()) {
            sink.changed(batch, batchVersion);
            batch.clear();
            batchVersion = "";
        }
    }

    /** Whether the end of the initial events is still to come. */
    boolean inInitialState() {
        return initial != null;
    }

    /** Whether the watch lasted less than a second and brought nothing. */
    boolean wasBrief() {
        return eventsCounted == 0 && clock.nanoTime() - opened < 1_000_000_000L;
    }

    /** Whether the stream signals that there is an event to read. */
    boolean wakes() {
        return wakes;
    }

    /** The nanoseconds until the stream has something that it does not signal: a second at least. */
    long untilDue() {
        return Math.max(AGAIN, stream.untilDue());
    }

    /** Whether the thread that signals an event may also read it. */
    boolean lendsThread() {
        return stream.lendsThread();
    }

    /** The number of events read so far. */
    long events() {
        return eventsCounted;
    }

    Duration lasted() {
        return Duration.ofNanos(clock.nanoTime() - opened);
    }

    void close() {
        stream.close();
    }
}
