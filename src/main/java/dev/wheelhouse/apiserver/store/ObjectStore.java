package dev.wheelhouse.apiserver.store;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Clock;

/**
 * All objects, by resource ({@code pods}, {@code deployments.apps}), under one version that grows by one with every write.
 * Thread safe. Writes name the version that they expect to replace; reads are snapshots; watches start at any kept version
 * (upstream: {@code apiserver/pkg/storage/etcd3} and {@code apiserver/pkg/storage/cacher}, in one).
 */
public final class ObjectStore implements AutoCloseable {
    private static final int WATCHER_BOUND = 10_000;

    private final Clock clock;
    private final Retention retention;
    private final Storage storage;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ResourceLog> logs = new ConcurrentHashMap<>();
    private volatile long version;
    private volatile boolean closed;
    /** What a resource that nobody has written to is compacted to. */
    private volatile long compacted;

    public ObjectStore(Clock clock, Retention retention, Storage storage) {
        this.clock = clock;
        this.retention = retention;
        this.storage = storage;
        this.version = storage.load((resource, json) -> {
            ObjectNode object = (ObjectNode) Json.read(json);
            log(resource).load(StoredObject.of(resource, object,
                    Long.parseLong(Json.text(object, "metadata", "resourceVersion"))));
        });
        this.compacted = version;
        logs.values().forEach(log -> log.startAt(compacted));
    }

    private ResourceLog log(String resource) {
        return logs.computeIfAbsent(resource, r -> {
            ResourceLog log = new ResourceLog();
            log.startAt(compacted);
            return log;
        });
    }

    /** The version of the last write to any resource. */
    public long version() {
        return version;
    }

    /** The newest state of an object, or null. @param namespace empty for a cluster-scoped one */
    public @Nullable StoredObject get(String resource, String namespace, String name) {
        return log(resource).tree.get(StoredObject.key(namespace, name));
    }

    /**
     * Stores a new object. It must have its name; its {@code metadata.resourceVersion} is set.
     *
     * @throws StoreException.Exists if there is one already
     */
    public StoredObject create(String resource, ObjectNode object) {
        return write(resource, keyOf(object), current -> {
            if (current != null) {
                throw new StoreException.Exists(current);
            }
            return object;
        });
    }

    /**
     * Replaces an object. Its {@code metadata.resourceVersion} is set.
     *
     * @throws StoreException.Conflict if it is not at the expected version
     */
    public StoredObject update(String resource, ObjectNode object, long expected) {
        String key = keyOf(object);
        return write(resource, key, current -> {
            require(key, current, expected);
            return object;
        });
    }

    /**
     * Deletes an object.
     *
     * @return its last state, at the deletion's version
     * @throws StoreException.Conflict if it is not at the expected version
     */
    public StoredObject delete(String resource, String namespace, String name, long expected) {
        String key = StoredObject.key(namespace, name);
        return write(resource, key, current -> {
            require(key, current, expected);
            return null;
        });
    }

    private static String keyOf(ObjectNode object) {
        return StoredObject.key(Json.text(object, "metadata", "namespace"), Json.text(object, "metadata", "name"));
    }

    private static void require(String key, @Nullable StoredObject current, long expected) {
        if (current == null || current.version() != expected) {
            throw new StoreException.Conflict(key, current);
        }
    }

    private interface Decision {
        /** The new state, or null to delete. */
        @Nullable
        ObjectNode next(@Nullable StoredObject current);
    }

    private StoredObject write(String resource, String key, Decision decision) {
        ResourceLog log = log(resource);
        Change change = locked(() -> {
            if (closed) {
                throw new StoreException.Closed();
            }
            StoredObject current = log.tree.get(key);
            ObjectNode next = decision.next(current);
            long at = version + 1;
            StoredObject state;
            SortedTree<StoredObject> after;
            if (next == null) {
                state = Objects.requireNonNull(current).atVersion(at);
                after = log.tree.without(key);
                storage.append(at, resource, key, null);
            } else {
                state = StoredObject.of(resource, next, at);
                after = log.tree.with(key, state);
                storage.append(at, resource, key, state.json());
            }
            Change made = new Change(state, current, next == null, after, clock.nanoTime());
            log.append(made);
            log.compact(retention, made.nanos);
            version = at;
            return made;
        });
        log.dispatch();
        return change.object;
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** The newest state of a resource. */
    public Snapshot snapshot(String resource) {
        ResourceLog log = log(resource);
        return locked(() -> new Snapshot(log.tree, version));
    }

    /**
     * The state of a resource at a version.
     *
     * @throws StoreException.Expired if it is no longer kept
     * @throws StoreException.Future if it is not there yet
     */
    public Snapshot snapshotAt(String resource, long at) {
        ResourceLog log = log(resource);
        return locked(() -> {
            if (at > version) {
                throw new StoreException.Future(at, version);
            }
            return new Snapshot(log.treeAt(at), at);
        });
    }

    /**
     * Watches what happens after a version. A version that is yet to come is waited for.
     *
     * @throws StoreException.Expired if events after it are no longer kept
     */
    public Watcher watch(String resource, Selection selection, long after) {
        ResourceLog log = log(resource);
        return locked(() -> {
            List<Change> missed = log.since(after);
            Iterator<StoreEvent> replay = missed.stream().map(change -> change.seenBy(selection))
                    .filter(Objects::nonNull).map(Objects::requireNonNull).iterator();
            return register(log, new Watcher(this, log, selection, Math.max(after, version), WATCHER_BOUND, replay));
        });
    }

    /** Watches from now, with all present objects as ADDED events first. */
    public Watcher watchFromNow(String resource, Selection selection) {
        ResourceLog log = log(resource);
        return locked(() -> {
            Iterator<StoreEvent> present = new Snapshot(log.tree, version).select(selection).stream()
                    .map(object -> new StoreEvent(StoreEvent.Type.ADDED, object)).iterator();
            return register(log, new Watcher(this, log, selection, version, WATCHER_BOUND, present));
        });
    }

    private Watcher register(ResourceLog log, Watcher watcher) {
        if (closed) {
            throw new StoreException.Closed();
        }
        log.add(watcher);
        return watcher;
    }

    /** Forgets all past versions: watches and lists at an older version end as expired. For tests and operators. */
    public void compact() {
        locked(() -> {
            compacted = version;
            logs.values().forEach(log -> log.compactTo(compacted));
            return compacted;
        });
    }

    /** Watches that are open. */
    public int watchers() {
        return logs.values().stream().mapToInt(log -> log.allWatchers().size()).sum();
    }

    /** Ends every watch as if its connection were cut; they may start again. For tests of clients. */
    public void cutWatches() {
        logs.values().forEach(log -> log.allWatchers().forEach(Watcher::close));
    }

    /** Ends every watch and refuses further writes. */
    @Override
    public void close() {
        locked(() -> closed = true);
        cutWatches();
    }
}
