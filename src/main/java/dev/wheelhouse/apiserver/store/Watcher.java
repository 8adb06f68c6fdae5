package dev.wheelhouse.apiserver.store;

import java.util.ArrayDeque;
import java.util.Iterator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Signal;

/**
 * One watch of one resource. One thread polls and awaits; writers offer; any thread may close. A watcher that has more events,
 * or more bytes of them, waiting than it may have is ended, and what waits is let go: it must start again from the last version
 * that it saw (upstream: {@code cacheWatcher}, whose channel is closed then).
 */
public final class Watcher implements AutoCloseable {
    /** The most events that may wait. */
    static final int EVENTS = 10_000;
    /** The most bytes of objects that may wait, one object aside. */
    static final long BYTES = 32 * 1024 * 1024;

    private final ObjectStore store;
    private final ResourceLog log;
    private final Selection selection;
    private final long after;
    private final ArrayDeque<Change> queue = new ArrayDeque<>();
    /** Of the objects in the queue. Guarded by it. */
    private long bytes;
    private final Signal signal = new Signal();
    private volatile @Nullable Runnable wake;
    private @Nullable Iterator<StoreEvent> initial;
    private volatile boolean closed;
    private volatile boolean overflowed;

    Watcher(ObjectStore store, ResourceLog log, Selection selection, long after,
            Iterator<StoreEvent> initial) {
        this.store = store;
        this.log = log;
        this.selection = selection;
        this.after = after;
        this.initial = initial;
    }

    Selection selection() {
        return selection;
    }

    /** The version of the state that the initial events stand for. */
    public long startVersion() {
        return after;
    }

    /** Whether the initial events, or the replayed ones, have all been polled. */
    public boolean isInitialDone() {
        Iterator<StoreEvent> first = initial;
        return first == null || !first.hasNext();
    }

    void offer(Change change) {
        if (change.version <= after || closed) {
            return;
        }
        synchronized (queue) {
            long more = change.object.json().length;
            if (queue.size() >= EVENTS || bytes > 0 && bytes + more > BYTES) {
                overflowed = true;
                queue.clear();
                bytes = 0;
            } else {
                queue.add(change);
                bytes += more;
            }
        }
        if (overflowed) {
            close();
        }
        tell();
    }

    private void tell() {
        signal.raise();
        Runnable told = wake;
        if (told != null) {
            told.run();
        }
    }

    /** Has it called, on the thread of a writer or of whoever closes this, when there is something new. */
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

    /**
     * The newest version up to which this watcher has polled everything, or -1 if there is something left to poll.
     */
    public long progress() {
        long version = store.version();
        log.dispatch();
        synchronized (queue) {
            return queue.isEmpty() && isInitialDone() && log.isDispatched() ? Math.max(version, after) : -1;
        }
    }

    /** Waits until there may be something to poll. @param nanos the longest time, in real nanoseconds */
    public void await(long nanos) throws InterruptedException {
        signal.await(nanos);
    }

    /** Whether it was ended, by its owner, the store, or because it was too slow. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether it was ended because its queue was full. */
    public boolean isOverflowed() {
        return overflowed;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            log.remove(this);
            tell();
        }
    }
}
