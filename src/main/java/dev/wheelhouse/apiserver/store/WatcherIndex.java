package dev.wheelhouse.apiserver.store;

import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    private static final String ANY = "";

    /** By the field that a selection requires, and by its value; those that require none are under {@link #ANY}. */
    private final Map<String, Map<String, List<Watcher>>> groups = Map.of(NODE, new ConcurrentHashMap<>(), NAME,
            new ConcurrentHashMap<>(), NAMESPACE, new ConcurrentHashMap<>(), ANY, new ConcurrentHashMap<>());

    private Map<String, List<Watcher>> group(String field) {
        return Objects.requireNonNull(groups.get(field));
    }

    private static String field(Selection selection) {
        return selection.fields().requires(NODE) != null
                ? NODE
                : selection.fields().requires(NAME) != null
                        ? NAME
                        : selection.namespace().isEmpty() ? ANY : NAMESPACE;
    }

    private static String value(Selection selection) {
        return Objects.requireNonNullElse(selection.fields().requires(field(selection)), selection.namespace());
    }

    void add(Watcher watcher) {
        group(field(watcher.selection())).compute(value(watcher.selection()), (value, list) -> {
            List<Watcher> all = list == null ? new CopyOnWriteArrayList<>() : list;
            all.add(watcher);
            return all;
        });
    }

    void remove(Watcher watcher) {
        group(field(watcher.selection())).computeIfPresent(value(watcher.selection()), (value, list) -> {
            list.remove(watcher);
            return list.isEmpty() ? null : list;
        });
    }

    /** Offers a change to all watchers that it may concern. */
    void deliver(Change change) {
        StoredObject object = change.object;
        offer(ANY, "", change);
        offer(NAMESPACE, object.namespace(), change);
        offer(NAME, object.name(), change);
        if (!group(NODE).isEmpty()) {
            deliverByNode(change);
        }
    }

    /** A watcher by node must also hear of a pod that had its node before. Name and namespace never change. */
    private void deliverByNode(Change change) {
        String now = change.object.field(NODE);
        StoredObject previous = change.previous;
        String before = previous == null ? null : previous.field(NODE);
        if (now != null) {
            offer(NODE, now, change);
        }
        if (before != null && !before.equals(now)) {
            offer(NODE, before, change);
        }
    }

    private void offer(String field, String value, Change change) {
        for (Watcher watcher : group(field).getOrDefault(value, List.of())) {
            try {
                watcher.offer(change);
            } catch (RuntimeException | Error e) {
                // The write is committed, and the other watchers must hear of it.
                watcher.fail();
            }
        }
    }

    List<Watcher> all() {
        return groups.values().stream().flatMap(group -> group.values().stream()).flatMap(List::stream).toList();
    }
}
