package dev.wheelhouse.apiserver.store;

import java.util.ArrayDeque;
import java.util.Iterator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Signal;

/**
 * One watch of one resource, a bounded queue of events. One thread polls and waits; any thread may close it. If more
 * events or bytes are queued than the limits allow, the watcher is ended and its queue dropped: the client must start a
 * new watch from the last version that it saw (upstream: {@code cacheWatcher}, whose channel is closed then). The same
 * happens if its events are older than the past that the store keeps, so the queues of all watchers together hold
 * little more than that past.
 */
public final class Watcher implements AutoCloseable {
    /** The most queued events. */
    static final int MAX_EVENTS = 10_000;
    /** The most bytes of queued objects; a single larger object is allowed. */
    static final long MAX_BYTES = 32 * 1024 * 1024;

    private final ObjectStore store;
    private final ResourceLog log;
    private final Selection selection;
    private final long after;
    private final ArrayDeque<Change> queue = new ArrayDeque<>();
    /** The bytes of the objects in the queue, which guards it. */
    private long bytes;
    private final Signal signal = new Signal();
    private volatile @Nullable Runnable wake;
    private volatile @Nullable Iterator<StoreEvent> initial;
    private volatile boolean closed;
    private volatile boolean overflowed;
    private volatile boolean initialDropped;

    Watcher(ObjectStore store, ResourceLog log, Selection selection, long after, Iterator<StoreEvent> initial) {
        this.store = store;
        this.log = log;
        this.selection = selection;
        this.after = after;
        this.initial = initial;
    }

    Selection selection() {
        return selection;
    }

    /** The version of the state that the initial events describe. */
    public long startVersion() {
        return after;
    }

    /** Whether all initial or replayed events were polled. */
    private boolean isInitialDone() {
        Iterator<StoreEvent> first = initial;
        return first == null || !first.hasNext();
    }

    /** Whether the watch has ended before all initial or replayed events were polled. */
    public boolean isInitialDropped() {
        return initialDropped;
    }

    /** Queues a change. Changes come in the order of their versions, and none comes after one that was left out. */
    void offer(Change change) {
        if (change.version <= after) {
            return;
        }
        synchronized (queue) {
            if (closed || overflowed) {
                return;
            }
            long more = change.object.json().length;
            if (queue.size() >= MAX_EVENTS || (bytes > 0 && bytes + more > MAX_BYTES)) {
                overflow();
            } else {
                queue.add(change);
                bytes += more;
            }
        }
        if (overflowed) {
            close();
        } else {
            wakeReader();
        }
    }

    /** Ends the watch, because a change could not be offered to it. */
    void fail() {
        synchronized (queue) {
            overflow();
        }
        wake = null;
        close();
    }

    private void overflow() {
        overflowed = true;
        queue.clear();
        bytes = 0;
    }

    /**
     * Ends the watch if it holds states that the store no longer keeps.
     *
     * @param oldest the oldest version whose later changes are all kept
     */
    void endIfBefore(long oldest) {
        boolean started;
        synchronized (queue) {
            Change first = queue.peek();
            started = initial == null || after >= oldest;
            if (closed || (started && (first == null || first.version > oldest))) {
                return;
            }
            overflow();
        }
        if (!started) {
            initialDropped = true;
            initial = null;
        }
        close();
    }

    private void wakeReader() {
        signal.raise();
        Runnable callback = wake;
        if (callback != null) {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                // This may be the thread of a writer, whose write has happened.
                fail();
            }
        }
    }

    /** Sets a callback for new events and the end, and calls it once. It runs on the thread of a writer or closer. */
    public void onReady(Runnable call) {
        wake = call;
        call.run();
    }

    /** The next event, or null if there is none now. */
    public @Nullable StoreEvent poll() {
        Iterator<StoreEvent> first = initial;
        if (first != null) {
            if (first.hasNext()) {
                return first.next();
            }
            initial = null;
        }
        while (true) {
            Change change;
            synchronized (queue) {
                change = queue.poll();
                if (change == null) {
                    return null;
                }
                bytes -= change.object.json().length;
            }
            StoreEvent event = change.seenBy(selection);
            if (event != null) {
                return event;
            }
        }
    }

    /** The newest version up to which all events were polled, for bookmarks; -1 if some are still to be polled. */
    public long progress() {
        long version = store.version();
        log.dispatch();
        synchronized (queue) {
            // The end of the watch is read last: a change that was dispatched after it is not in the queue.
            return queue.isEmpty() && isInitialDone() && log.isDispatched() && !closed && !overflowed
                    ? Math.max(version, after)
                    : -1;
        }
    }

    /** Waits until there may be something to poll, but no longer than some nanoseconds of real time. */
    public void await(long nanos) throws InterruptedException {
        signal.await(nanos);
    }

    /** Whether the watch has ended: by its owner, by the store, or because its queue was full. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether the watch has ended because its queue was full or too old. */
    public boolean isOverflowed() {
        return overflowed;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            log.watchers.remove(this);
            wakeReader();
        }
    }
}
