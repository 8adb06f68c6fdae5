package dev.wheelhouse.apiserver.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state of one resource: its objects, the window of its last changes, and its watchers. The store's lock guards
 * objects and window. Changes are dispatched to watchers outside of it, in version order, by one thread at a time.
 */
final class ResourceLog {
    private final ArrayDeque<Change> window = new ArrayDeque<>();
    private final ConcurrentLinkedQueue<Change> undelivered = new ConcurrentLinkedQueue<>();
    private final ReentrantLock dispatching = new ReentrantLock();
    final WatcherIndex watchers = new WatcherIndex();
    /** The bytes of JSON in the window. */
    private long bytes;
    private SortedTree<StoredObject> compactedTree = SortedTree.empty();
    private volatile long compacted;
    /** The committed state, which readers see. */
    volatile SortedTree<StoredObject> tree = SortedTree.empty();
    /** The state with the writes that are decided but not yet committed. */
    SortedTree<StoredObject> head = SortedTree.empty();

    /** Adds an object of an earlier run, at the start. */
    void load(StoredObject object) {
        tree = tree.with(object.key(), object);
        compactedTree = tree;
        head = tree;
    }

    /** Sets the oldest version that is kept. */
    void startAt(long version) {
        compacted = Math.max(compacted, version);
    }

    void append(Change change) {
        tree = change.after;
        window.add(change);
        bytes += change.object.json().length;
        undelivered.add(change);
    }

    /** Drops the writes that were decided but not committed. */
    void undo() {
        head = tree;
    }

    void compact(Retention retention, long now) {
        while (bytes > retention.bytes() && window.size() > 1) {
            drop();
        }
        while (window.size() > retention.minimum()) {
            Change oldest = window.getFirst();
            if (window.size() <= retention.events() && now - oldest.nanos <= retention.age().toNanos()) {
                return;
            }
            drop();
        }
    }

    /** The bytes of JSON in the window. */
    long bytes() {
        return bytes;
    }

    /** Drops the oldest change of the window, unless it is the only one. @return the bytes of its JSON */
    long shorten() {
        long before = bytes;
        if (window.size() > 1) {
            drop();
        }
        return before - bytes;
    }

    void compactTo(long version) {
        window.clear();
        bytes = 0;
        compacted = version;
        compactedTree = tree;
    }

    private void drop() {
        Change oldest = window.removeFirst();
        bytes -= oldest.object.json().length;
        compacted = oldest.version;
        compactedTree = oldest.after;
    }

    /** The objects as they were at a version; {@link StoreException.Expired} if it is no longer kept. */
    SortedTree<StoredObject> treeAt(long version) {
        for (Iterator<Change> newest = window.descendingIterator(); newest.hasNext();) {
            Change change = newest.next();
            if (change.version <= version) {
                return change.after;
            }
        }
        if (version < compacted) {
            throw new StoreException.Expired(version, compacted);
        }
        return compactedTree;
    }

    /** The changes after a version, oldest first; {@link StoreException.Expired} if some are not kept. */
    List<Change> since(long version) {
        if (version < compacted) {
            throw new StoreException.Expired(version, compacted);
        }
        List<Change> changes = new ArrayList<>();
        for (Iterator<Change> newest = window.descendingIterator(); newest.hasNext();) {
            Change change = newest.next();
            if (change.version <= version) {
                break;
            }
            changes.add(change);
        }
        Collections.reverse(changes);
        return changes;
    }

    /** Ends the watchers that hold states from before the oldest version that is kept. */
    void endLateWatchers() {
        watchers.all().forEach(watcher -> watcher.endIfBefore(compacted));
    }

    /** Offers the appended changes to the watchers, unless another thread is doing so. */
    void dispatch() {
        while (!undelivered.isEmpty() && dispatching.tryLock()) {
            deliver();
        }
    }

    private void deliver() {
        try {
            for (Change change = undelivered.poll(); change != null; change = undelivered.poll()) {
                watchers.deliver(change);
            }
        } finally {
            dispatching.unlock();
        }
    }

    /** Returns when the changes that were appended before are offered, also those that another thread is offering. */
    void awaitDispatch() {
        dispatching.lock();
        deliver();
    }

    boolean isDispatched() {
        return undelivered.isEmpty() && !dispatching.isLocked();
    }
}
