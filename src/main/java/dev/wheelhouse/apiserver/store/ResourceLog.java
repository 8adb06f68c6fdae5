package dev.wheelhouse.apiserver.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * One resource: its objects, the window of its last changes, and its watchers. Objects and window are guarded by the store's
 * lock; dispatching to watchers happens outside of it, in version order, by one thread at a time.
 */
final class ResourceLog {
    /** Watches by this field are found by its value instead of being asked one by one. */
    private static final String INDEXED = "spec.nodeName";

    private final ArrayDeque<Change> window = new ArrayDeque<>();
    private final ConcurrentLinkedQueue<Change> undelivered = new ConcurrentLinkedQueue<>();
    private final ReentrantLock dispatching = new ReentrantLock();
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private final Map<String, List<Watcher>> byIndex = new ConcurrentHashMap<>();
    private SortedTree<StoredObject> compactedTree = SortedTree.empty();
    private long compacted;
    /** What everyone sees. */
    volatile SortedTree<StoredObject> tree = SortedTree.empty();
    /** The same with the writes that are decided and not yet kept. */
    SortedTree<StoredObject> head = SortedTree.empty();

    /** Starts with an object that was there before this process. */
    void load(StoredObject object) {
        tree = tree.with(object.key(), object);
        compactedTree = tree;
        head = tree;
    }

    /** Versions before this one are not kept. */
    void startAt(long version) {
        compacted = Math.max(compacted, version);
    }

    void append(Change change) {
        tree = change.after;
        window.add(change);
        undelivered.add(change);
    }

    void compact(Retention retention, long now) {
        while (window.size() > retention.minimum()) {
            Change oldest = window.getFirst();
            if (window.size() <= retention.events() && now - oldest.nanos <= retention.age().toNanos()) {
                return;
            }
            drop();
        }
    }

    void compactTo(long version) {
        window.clear();
        compacted = version;
        compactedTree = tree;
    }

    private void drop() {
        Change oldest = window.removeFirst();
        compacted = oldest.version;
        compactedTree = oldest.after;
    }

    /** The objects as they were at a version. */
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

    /** The kept changes after a version, oldest first. */
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

    void add(Watcher watcher) {
        String node = watcher.selection().fields().requires(INDEXED);
        if (node == null) {
            watchers.add(watcher);
        } else {
            byIndex.compute(node, (k, list) -> {
                List<Watcher> all = list == null ? new CopyOnWriteArrayList<>() : list;
                all.add(watcher);
                return all;
            });
        }
    }

    void remove(Watcher watcher) {
        String node = watcher.selection().fields().requires(INDEXED);
        if (node == null) {
            watchers.remove(watcher);
        } else {
            byIndex.computeIfPresent(node, (k, list) -> {
                list.remove(watcher);
                return list.isEmpty() ? null : list;
            });
        }
    }

    /** Hands what was appended to the watchers, unless another thread is doing so already. */
    void dispatch() {
        while (!undelivered.isEmpty() && dispatching.tryLock()) {
            try {
                for (Change change = undelivered.poll(); change != null; change = undelivered.poll()) {
                    deliver(change);
                }
            } finally {
                dispatching.unlock();
            }
        }
    }

    boolean isDispatched() {
        return undelivered.isEmpty() && !dispatching.isLocked();
    }

    private void deliver(Change change) {
        for (Watcher watcher : watchers) {
            watcher.offer(change);
        }
        if (!byIndex.isEmpty()) {
            String now = change.object.field(INDEXED);
            StoredObject previous = change.previous;
            String before = previous == null ? null : previous.field(INDEXED);
            deliver(now, change);
            if (before != null && !before.equals(now)) {
                deliver(before, change);
            }
        }
    }

    private void deliver(@Nullable String index, Change change) {
        List<Watcher> found = index == null ? null : byIndex.get(index);
        if (found != null) {
            for (Watcher watcher : found) {
                watcher.offer(change);
            }
        }
    }

    List<Watcher> allWatchers() {
        List<Watcher> all = new ArrayList<>(watchers);
        byIndex.values().forEach(all::addAll);
        return all;
    }
}
