package dev.wheelhouse.apiserver.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.StoreEvent;
import dev.wheelhouse.apiserver.store.Watcher;
import dev.wheelhouse.runtime.Clock;

/**
 * The events of one watch request, polled by one thread; any thread may close it. The feed ends at its timeout, when
 * the server closes, or when its reader is too slow.
 */
public final class WatchFeed implements AutoCloseable {
    private static final long BOOKMARK_NANOS = Duration.ofMinutes(1).toNanos();
    /** The time between the last bookmark and the timeout. A watch that is opened again there misses nothing. */
    private static final long BEFORE_TIMEOUT_NANOS = Duration.ofSeconds(2).toNanos();

    private final @Nullable Watcher watcher;
    private final ResourceType type;
    private final Renderer.Encoder encoder;
    private final boolean bookmarks;
    private final Clock clock;
    private final long deadline;
    private boolean endOfInitialEventsDue;
    private @Nullable Event pending;
    private long bookmarkAt;
    private long lastVersion;
    /** Whether an event could not be encoded, which ends the feed. */
    private boolean failed;

    /**
     * One event.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
     * @param object in the encoding that the request negotiated
     */
    public record Event(String type, byte[] object) {}

    /**
     * @param bookmarks whether to send bookmarks: one a minute, and one two seconds before the timeout (upstream:
     *     {@code nextBookmarkTime} in apiserver {@code cacher/cache_watcher.go})
     * @param endOfInitialEvents whether to send the bookmark that ends the initial events; requires {@code bookmarks}
     * @param timeout how long the watch lasts
     */
    public WatchFeed(Watcher watcher, ResourceType type, Renderer.Encoder encoder, boolean bookmarks,
            boolean endOfInitialEvents, Duration timeout, Clock clock) {
        this.watcher = watcher;
        this.type = type;
        this.encoder = encoder;
        this.bookmarks = bookmarks;
        this.clock = clock;
        this.deadline = clock.deadline(timeout);
        this.endOfInitialEventsDue = endOfInitialEvents;
        this.bookmarkAt = nextBookmark();
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

    /** A watch that delivers one error and ends. */
    public static WatchFeed failed(ResourceType type, byte[] status, Clock clock) {
        return new WatchFeed(type, new Event("ERROR", status), clock);
    }

    /**
     * The next event, or null if none is ready. It blocks only for a conversion webhook. If the webhook fails, the
     * event is an error, and the feed has ended.
     */
    public @Nullable Event next() {
        Event ready = pending;
        Watcher source = watcher;
        if (ready != null || source == null || failed) {
            pending = null;
            return ready;
        }
        StoreEvent event = source.poll();
        if (event != null) {
            lastVersion = Math.max(lastVersion, event.object().version());
            try {
                return new Event(event.type().name(), encoder.encode(event.object()));
            } catch (StatusException unconverted) {
                failed = true;
                source.close();
                return new Event("ERROR", Json.bytes(unconverted.status()));
            }
        }
        if (endOfInitialEventsDue && !source.isInitialDropped()) {
            endOfInitialEventsDue = false;
            // Changes after the start may already be delivered, so the bookmark has the version of the last event.
            return bookmarks ? bookmark(lastVersion, true) : null;
        }
        if (source.isOverflowed()) {
            return null;
        }
        if (bookmarks && clock.nanoTime() - bookmarkAt >= 0) {
            long version = source.progress();
            if (version >= lastVersion) {
                lastVersion = version;
                return bookmark(version, false);
            }
        }
        return null;
    }

    private Event bookmark(long version, boolean initialEventsEnd) {
        bookmarkAt = nextBookmark();
        ObjectNode object = Json.object();
        object.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        ObjectNode meta = object.putObject("metadata").put("resourceVersion", Long.toString(version));
        if (initialEventsEnd) {
            meta.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return new Event("BOOKMARK", encoder.bookmark(object));
    }

    private long nextBookmark() {
        long now = clock.nanoTime();
        long untilLast = deadline - BEFORE_TIMEOUT_NANOS - now;
        return now + (untilLast <= 0 ? BOOKMARK_NANOS : Math.min(BOOKMARK_NANOS, untilLast));
    }

    /** Whether the feed ends after the events that are ready. */
    public boolean isEnded() {
        Watcher source = watcher;
        return pending == null && (source == null || failed || source.isClosed() || clock.nanoTime() - deadline >= 0);
    }

    /** Waits until an event may be ready or the feed has ended, for at most {@code nanos} nanoseconds of real time. */
    public void await(long nanos) throws InterruptedException {
        Watcher source = watcher;
        if (source != null && pending == null) {
            source.await(Math.min(nanos, untilDue()));
        }
    }

    /** The nanoseconds until the next bookmark or the timeout, of which {@link #onReady} does not tell. */
    public long untilDue() {
        long now = clock.nanoTime();
        long left = Math.max(0, deadline - now);
        // A bookmark that is due and not sent waits for a write that is under way.
        return bookmarks ? Math.min(left, Math.max(1_000_000, bookmarkAt - now)) : left;
    }

    /**
     * Registers a callback for when {@link #next} may return an event or the feed is closed. It runs on any thread. It
     * is not called at the timeout, or when a bookmark is due.
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
