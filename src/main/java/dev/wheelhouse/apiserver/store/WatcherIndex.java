package dev.wheelhouse.apiserver.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * The watchers of one resource, grouped by what their selection requires: a node, a name, or a namespace. A change is
 * offered only to groups that it may concern, so a thousand nodes that each watch their own pods cost a change nothing
 * (upstream: the triggers of {@code apiserver/pkg/storage/cacher}). Thread safe; for one watcher, add must come before
 * remove.
 */
final class WatcherIndex {
    private static final String NODE = "spec.nodeName";
    private static final String NAME = "metadata.name";

    private final List<Watcher> unindexed = new CopyOnWriteArrayList<>();
    private final Map<String, List<Watcher>> byNode = new ConcurrentHashMap<>();
    private final Map<String, List<Watcher>> byName = new ConcurrentHashMap<>();
    private final Map<String, List<Watcher>> byNamespace = new ConcurrentHashMap<>();

    void add(Watcher watcher) {
        Map<String, List<Watcher>> index = index(watcher.selection());
        if (index == null) {
            unindexed.add(watcher);
            return;
        }
        index.compute(key(watcher.selection()), (k, list) -> {
            List<Watcher> all = list == null ? new CopyOnWriteArrayList<>() : list;
            all.add(watcher);
            return all;
        });
    }

    void remove(Watcher watcher) {
        Map<String, List<Watcher>> index = index(watcher.selection());
        if (index == null) {
            unindexed.remove(watcher);
            return;
        }
        index.computeIfPresent(key(watcher.selection()), (k, list) -> {
            list.remove(watcher);
            return list.isEmpty() ? null : list;
        });
    }

    private @Nullable Map<String, List<Watcher>> index(Selection selection) {
        if (selection.fields().requires(NODE) != null) {
            return byNode;
        }
        if (selection.fields().requires(NAME) != null) {
            return byName;
        }
        return selection.namespace().isEmpty() ? null : byNamespace;
    }

    private static String key(Selection selection) {
        String node = selection.fields().requires(NODE);
        String name = selection.fields().requires(NAME);
        return node != null ? node : name != null ? name : selection.namespace();
    }

    /** Offers a change to all watchers that it may concern. */
    void deliver(Change change) {
        offer(unindexed, change);
        StoredObject object = change.object;
        if (!byNamespace.isEmpty()) {
            offer(byNamespace.get(object.namespace()), change);
        }
        if (!byName.isEmpty()) {
            offer(byName.get(object.name()), change);
        }
        if (!byNode.isEmpty()) {
            deliverByNode(change);
        }
    }

    /** A watcher by node must also hear of a pod that had its node before. Name and namespace never change. */
    private void deliverByNode(Change change) {
        String now = change.object.field(NODE);
        StoredObject previous = change.previous;
        String before = previous == null ? null : previous.field(NODE);
        if (now != null) {
            offer(byNode.get(now), change);
        }
        if (before != null && !before.equals(now)) {
            offer(byNode.get(before), change);
        }
    }

    private static void offer(@Nullable List<Watcher> watchers, Change change) {
        if (watchers != null) {
            for (Watcher watcher : watchers) {
                try {
                    watcher.offer(change);
                } catch (RuntimeException | Error e) {
                    // The write is committed, and the other watchers must hear of it.
                    watcher.fail();
                }
            }
        }
    }

    List<Watcher> all() {
        List<Watcher> all = new ArrayList<>(unindexed);
        List.of(byNode, byName, byNamespace).forEach(index -> index.values().forEach(all::addAll));
        return all;
    }
}
