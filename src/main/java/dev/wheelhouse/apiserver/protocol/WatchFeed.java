package dev.wheelhouse.apiserver.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.StoreEvent;
import dev.wheelhouse.apiserver.store.Watcher;
import dev.wheelhouse.runtime.Clock;

/**
 * The events of one watch request, to be drawn by one thread; any thread may close it. It ends when its time is up, when the
 * server closes, or when its reader is too slow.
 */
public final class WatchFeed implements AutoCloseable {
    private static final long BOOKMARK_NANOS = Duration.ofMinutes(1).toNanos();

    private final @Nullable Watcher watcher;
    private final ResourceType type;
    private final Renderer.Encoder encoder;
    private final boolean bookmarks;
    private final Clock clock;
    private final long deadline;
    private boolean endOfInitialEventsDue;
    private @Nullable Event pending;
    private long lastBookmark;
    private long lastVersion;

    /**
     * One event.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
     * @param object in the language that the watch was asked for in
     */
    public record Event(String type, byte[] object) {}

    public WatchFeed(Watcher watcher, ResourceType type, Renderer.Encoder encoder, boolean bookmarks,
            boolean endOfInitialEvents, Duration timeout, Clock clock) {
        this.watcher = watcher;
        this.type = type;
        this.encoder = encoder;
        this.bookmarks = bookmarks;
        this.clock = clock;
        this.deadline = clock.deadline(timeout);
        this.endOfInitialEventsDue = endOfInitialEvents;
        this.lastBookmark = clock.nanoTime();
        this.lastVersion = watcher.startVersion();
    }

    private WatchFeed(ResourceType type, Event only, Clock clock) {
        this.watcher = null;
        this.type = type;
        this.encoder = object -> object.json();
        this.bookmarks = false;
        this.clock = clock;
        this.deadline = clock.nanoTime();
        this.pending = only;
    }

    /** A watch that says what is wrong, and ends. */
    public static WatchFeed failed(ResourceType type, byte[] status, Clock clock) {
        return new WatchFeed(type, new Event("ERROR", status), clock);
    }

    /** The next event, or null if there is none now. Never waits. */
    public @Nullable Event next() {
        Event ready = pending;
        Watcher source = watcher;
        if (ready != null || source == null) {
            pending = null;
            return ready;
        }
        StoreEvent event = source.poll();
        if (event != null) {
            lastVersion = Math.max(lastVersion, event.object().version());
            return new Event(event.type().name(), encoder.encode(event.object()));
        }
        if (endOfInitialEventsDue) {
            endOfInitialEventsDue = false;
            // What was changed meanwhile may have been told already.
            return bookmarks ? bookmark(lastVersion, true) : null;
        }
        if (source.isOverflowed()) {
            return null;
        }
        long now = clock.nanoTime();
        if (bookmarks && now - lastBookmark >= BOOKMARK_NANOS) {
            long version = source.progress();
            if (version >= lastVersion) {
                lastVersion = version;
                return bookmark(version, false);
            }
        }
        return null;
    }

    private Event bookmark(long version, boolean initialEventsEnd) {
        lastBookmark = clock.nanoTime();
        ObjectNode object = Json.object();
        object.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        ObjectNode meta = object.putObject("metadata").put("resourceVersion", Long.toString(version));
        if (initialEventsEnd) {
            meta.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return new Event("BOOKMARK", encoder.bookmark(object));
    }

    /** Whether no more events will come. Events that are ready are still given. */
    public boolean isEnded() {
        Watcher source = watcher;
        return pending == null && (source == null || source.isClosed() || clock.nanoTime() - deadline >= 0);
    }

    /** Waits until there may be an event, or the end; at most {@code nanos} nanoseconds of real time. */
    public void await(long nanos) throws InterruptedException {
        Watcher source = watcher;
        if (source != null && pending == null) {
            long left = Math.max(0, deadline - clock.nanoTime());
            source.await(Math.min(nanos, Math.min(left, bookmarks ? BOOKMARK_NANOS : left)));
        }
    }

    /**
     * Asks to be told, on whatever thread it is, when {@link #next} may have something, or the watch has been ended. That its
     * time is up, or that a bookmark is due, is not told.
     */
    public void onReady(Runnable wake) {
        Watcher source = watcher;
        if (source != null) {
            source.onReady(wake);
        } else {
            wake.run();
        }
    }

    @Override
    public void close() {
        Watcher source = watcher;
        if (source != null) {
            source.close();
        }
    }
}
