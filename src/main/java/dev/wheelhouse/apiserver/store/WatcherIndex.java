package dev.wheelhouse.apiserver.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The watchers of one resource, grouped by what their selection requires: a node, a name, or a namespace. A change is
 * offered only to groups that it may concern, so a thousand nodes that each watch their own pods cost a change nothing
 * (upstream: the triggers of {@code apiserver/pkg/storage/cacher}). Thread safe; for one watcher, add must come before
 * remove.
 */
final class WatcherIndex {
    private static final String NODE = "spec.nodeName";
    private static final String NAME = "metadata.name";
    private static final String NAMESPACE = "metadata.namespace";

    private final Map<Group, List<Watcher>> groups = new ConcurrentHashMap<>();

    /** The watchers whose selection requires this value of this field. */
    private record Group(String field, String value) {
        private static final Group OTHERS = new Group("", "");

        static Group of(Selection selection) {
            for (String field : List.of(NODE, NAME)) {
                String value = selection.fields().requires(field);
                if (value != null) {
                    return new Group(field, value);
                }
            }
            return selection.namespace().isEmpty() ? OTHERS : new Group(NAMESPACE, selection.namespace());
        }
    }

    void add(Watcher watcher) {
        groups.compute(Group.of(watcher.selection()), (group, list) -> {
            List<Watcher> all = list == null ? new CopyOnWriteArrayList<>() : list;
            all.add(watcher);
            return all;
        });
    }

    void remove(Watcher watcher) {
        groups.computeIfPresent(Group.of(watcher.selection()), (group, list) -> {
            list.remove(watcher);
            return list.isEmpty() ? null : list;
        });
    }

    /** Offers a change to all watchers that it may concern. */
    void deliver(Change change) {
        StoredObject object = change.object;
        offer(Group.OTHERS, change);
        offer(new Group(NAMESPACE, object.namespace()), change);
        offer(new Group(NAME, object.name()), change);
        deliverByNode(change);
    }

    /** A watcher by node must also hear of a pod that had its node before. Name and namespace never change. */
    private void deliverByNode(Change change) {
        String now = change.object.field(NODE);
        StoredObject previous = change.previous;
        String before = previous == null ? null : previous.field(NODE);
        if (now != null) {
            offer(new Group(NODE, now), change);
        }
        if (before != null && !before.equals(now)) {
            offer(new Group(NODE, before), change);
        }
    }

    private void offer(Group group, Change change) {
        for (Watcher watcher : groups.getOrDefault(group, List.of())) {
            try {
                watcher.offer(change);
            } catch (RuntimeException | Error e) {
                // The write is committed, and the other watchers must hear of it.
                watcher.fail();
            }
        }
    }

    List<Watcher> all() {
        return groups.values().stream().flatMap(List::stream).toList();
    }
}
