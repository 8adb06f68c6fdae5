package dev.wheelhouse.apiserver.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;

/**
 * All objects, by resource ({@code pods}, {@code deployments.apps}), under one version that grows by one with every write.
 * Thread safe. Writes name the version that they expect to replace; reads are snapshots; watches start at any kept version
 * (upstream: {@code apiserver/pkg/storage/etcd3} and {@code apiserver/pkg/storage/cacher}, in one). The lock is held to compare
 * and count versions and to append to the log; objects are serialised before, and selected and delivered after.
 */
public final class ObjectStore implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ObjectStore.class);
    /** After a failure the storage is asked again so soon, and later each time it fails again at once. */
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofSeconds(15);
    private static final Duration QUIET = Duration.ofMinutes(1);
    /** So many eras back the store knows what was kept; as they begin a second apart, nobody waits for so long. */
    private static final int ERAS = 1024;

    private final Clock clock;
    private final Retention retention;
    private final Storage storage;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ResourceLog> logs = new ConcurrentHashMap<>();
    /** Held by the one thread that brings writes to the storage; the others wait for it, and find theirs done. */
    private final ReentrantLock commits = new ReentrantLock();
    /** Writes that are decided and not yet kept; nobody sees them. Guarded by the lock. */
    private List<Pending> pending = new ArrayList<>();
    /** Why writes are refused at the moment. */
    private volatile @Nullable StorageException failure;
    /** Why the last writes that were undone failed. */
    private volatile @Nullable StorageException lastFailure;
    /** Counts the failures of the storage: with each, all writes that were decided and not kept are undone. */
    private volatile long era;
    /** The last version that was kept in each era but the present one, for writers that wait since then. */
    private final AtomicLongArray lastKept = new AtomicLongArray(ERAS);
    private final Backoff retries;
    /** When the storage may be asked again whether it takes writes. Guarded by {@link #commits}. */
    private long retryAt;
    private long failedAt;
    /** The version of the last write that is decided. */
    private volatile long decided;
    private volatile long version;
    private volatile boolean closed;
    /** What a resource that nobody has written to is compacted to. */
    private volatile long compacted;

    public ObjectStore(Clock clock, Retention retention, Storage storage) {
        this.clock = clock;
        this.retention = retention;
        this.storage = storage;
        this.retries = new Backoff(FIRST_RETRY, LAST_RETRY, 2, 0, QUIET, clock, RandomGenerator.getDefault());
        Storage.Recovered recovered = storage.load(new Recovery());
        this.version = recovered.version();
        this.decided = version;
        this.compacted = recovered.compacted();
        logs.values().forEach(log -> log.startAt(compacted));
    }

    private record Pending(ResourceLog log, String resource, String key, Change change) {
        Storage.Write write() {
            StoredObject previous = change.previous;
            return new Storage.Write(change.version, resource, key, previous == null ? 0 : previous.version(),
                    change.deletion ? null : change.object.json());
        }
    }

    private final class Recovery implements Storage.Reader {
        @Override
        public void object(long at, String resource, byte[] json) {
            log(resource).load(StoredObject.draft(resource, (ObjectNode) Json.read(json), at));
        }

        @Override
        public void change(long at, String resource, String key, byte @Nullable [] json) {
            ResourceLog log = log(resource);
            StoredObject current = log.tree.get(key);
            StoredObject next = json == null ? null : StoredObject.draft(resource, (ObjectNode) Json.read(json), at);
            if (next == null && current == null) {
                throw new IllegalStateException("version " + at + " deletes " + key + " of " + resource
                        + ", which is not there");
            }
            Change change = made(log, key, current, next, at);
            log.head = change.after;
            log.append(change);
            log.dispatch();
            log.compact(retention, change.nanos);
        }
    }

    /** @param next null for a deletion */
    private Change made(ResourceLog log, String key, @Nullable StoredObject current, @Nullable StoredObject next,
            long at) {
        return next == null
                ? new Change(Objects.requireNonNull(current).atVersion(at), current, true, log.head.without(key),
                        clock.nanoTime())
                : new Change(next, current, false, log.head.with(key, next), clock.nanoTime());
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
     * @throws TooLargeException if it has more bytes than are stored of one
     */
    public StoredObject create(String resource, ObjectNode object) {
        return stamped(object, write(resource, keyOf(object), current -> {
            if (current != null) {
                throw new StoreException.Exists(current);
            }
        }, draft(resource, object)));
    }

    /**
     * Replaces an object. Its {@code metadata.resourceVersion} is set.
     *
     * @throws StoreException.Conflict if it is not at the expected version
     * @throws TooLargeException if it has more bytes than are stored of one
     */
    public StoredObject update(String resource, ObjectNode object, long expected) {
        String key = keyOf(object);
        return stamped(object,
                write(resource, key, current -> require(key, current, expected), draft(resource, object)));
    }

    /**
     * Deletes an object.
     *
     * @return its last state, at the deletion's version
     * @throws StoreException.Conflict if it is not at the expected version
     */
    public StoredObject delete(String resource, String namespace, String name, long expected) {
        String key = StoredObject.key(namespace, name);
        return write(resource, key, current -> require(key, current, expected), null);
    }

    private StoredObject draft(String resource, ObjectNode object) {
        StoredObject draft = StoredObject.draft(resource, object, decided + 1);
        byte[] json = draft.json();
        if (json.length > TooLargeException.MOST_BYTES) {
            int size = json.length - escapes(json);
            if (size > TooLargeException.MOST_BYTES) {
                throw new TooLargeException(resource + " " + draft.key() + " has " + size + " bytes");
            }
        }
        return draft;
    }

    /** The backslashes of JSON, which upstream's storage of built-in types does not have. */
    private static int escapes(byte[] json) {
        int escapes = 0;
        for (byte b : json) {
            escapes += b == '\\' ? 1 : 0;
        }
        return escapes;
    }

    private static StoredObject stamped(ObjectNode object, StoredObject stored) {
        Json.child(object, "metadata").put("resourceVersion", Long.toString(stored.version()));
        return stored;
    }

    private static String keyOf(ObjectNode object) {
        return StoredObject.key(Json.text(object, "metadata", "namespace"), Json.text(object, "metadata", "name"));
    }

    private static void require(String key, @Nullable StoredObject current, long expected) {
        if (current == null || current.version() != expected) {
            throw new StoreException.Conflict(key, current);
        }
    }

    private interface Precondition {
        void check(@Nullable StoredObject current);
    }

    /** @param draft the new state, null to delete */
    private StoredObject write(String resource, String key, Precondition precondition, @Nullable StoredObject draft) {
        // The client of an overdue request has been told that it timed out: its write must not begin.
        Deadline.checkNow();
        if (failure != null) {
            resume();
        }
        ResourceLog log = log(resource);
        long before = era;
        Decided done;
        try {
            done = locked(() -> decide(log, resource, key, precondition, draft));
        } catch (StoreException.Exists | StoreException.Conflict e) {
            // What it ran into may not be kept yet; until then nobody is told of it.
            settle(decided, before);
            throw e;
        }
        settle(done.change.version, done.era);
        log.dispatch();
        return done.change.object;
    }

    private record Decided(Change change, long era) {}

    private Decided decide(ResourceLog log, String resource, String key, Precondition precondition,
            @Nullable StoredObject draft) {
        refuseWritesIfUnable();
        StoredObject current = log.head.get(key);
        precondition.check(current);
        long at = decided + 1;
        Change made = made(log, key, current, draft == null ? null : draft.atVersion(at), at);
        log.head = made.after;
        decided = at;
        if (storage.isDurable()) {
            pending.add(new Pending(log, resource, key, made));
        } else {
            publish(log, made);
        }
        return new Decided(made, era);
    }

    private void refuseWritesIfUnable() {
        if (failure != null) {
            throw new StoreException.Failed(failure);
        }
        if (closed) {
            throw new StoreException.Closed();
        }
    }

    private void publish(ResourceLog log, Change change) {
        log.append(change);
        log.compact(retention, change.nanos);
        version = change.version;
    }

    /**
     * Returns when everything up to a version is kept and can be seen. Whoever comes first does it for all.
     *
     * @param of the era in which the version was decided: in another one it is that of another write
     */
    private void settle(long at, long of) {
        if (isSettled(at, of)) {
            return;
        }
        List<Pending> batch;
        commits.lock();
        try {
            if (isSettled(at, of)) {
                return;
            }
            batch = commitPending();
        } finally {
            commits.unlock();
        }
        batch.stream().map(Pending::log).distinct().forEach(ResourceLog::dispatch);
    }

    /** @throws StoreException.Failed if it was undone */
    private boolean isSettled(long at, long of) {
        // The version is read first: if the era is the same after that, it was the same when the version was read.
        boolean reached = version >= at;
        long now = era;
        if (now == of) {
            return reached;
        }
        if (now - of < ERAS && at <= lastKept.get((int) (of % ERAS))) {
            return true;
        }
        throw new StoreException.Failed(Objects.requireNonNull(lastFailure));
    }

    private List<Pending> commitPending() {
        List<Pending> batch = locked(() -> {
            List<Pending> taken = pending;
            pending = new ArrayList<>();
            return taken;
        });
        try {
            storage.commit(batch.stream().map(Pending::write).toList());
        } catch (StorageException e) {
            undo(e, batch);
            throw new StoreException.Failed(e);
        }
        locked(() -> {
            batch.forEach(p -> publish(p.log, p.change));
            return version;
        });
        return batch;
    }

    /** Nothing after the last version that is kept has happened. */
    private void undo(StorageException e, List<Pending> batch) {
        locked(() -> {
            batch.forEach(p -> p.log.undo());
            pending.forEach(p -> p.log.undo());
            pending = new ArrayList<>();
            decided = version;
            lastFailure = e;
            failure = e;
            lastKept.set((int) (era % ERAS), version);
            return ++era;
        });
        failedAt = clock.nanoTime();
        retryAt = clock.deadline(retries.next());
        LOGGER.warn("{}; until then writes are refused, and reads go on", e.getMessage());
    }

    /** Asks the storage whether it takes writes again, unless it was asked a moment ago. @throws StoreException.Failed if not */
    private void resume() {
        StorageException failed = failure;
        if (failed == null) {
            return;
        }
        if (failed.isLasting() || !commits.tryLock()) {
            throw new StoreException.Failed(failed);
        }
        try {
            if (failure == null) {
                return;
            }
            if (closed || clock.nanoTime() - retryAt < 0) {
                throw new StoreException.Failed(failed);
            }
            retryAt = clock.deadline(FIRST_RETRY);
            storage.resume(version);
            failure = null;
            LOGGER.info("writes are taken again after {} s; the last that was kept is version {}",
                    Duration.ofNanos(clock.nanoTime() - failedAt).toSeconds(), version);
        } catch (StorageException e) {
            failure = e;
            throw new StoreException.Failed(e);
        } finally {
            commits.unlock();
        }
    }

    /**
     * Why writes are refused, or would be, in a few words that name no path; null if they are taken. It asks the storage at most
     * once a second, so that a store that nobody writes to finds out as well.
     */
    public @Nullable String problem() {
        try {
            resume();
            storage.check();
            return null;
        } catch (StoreException.Failed e) {
            return e.reason();
        } catch (StorageException e) {
            return e.reason();
        }
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
            return register(log, new Watcher(this, log, selection, Math.max(after, version), replay));
        });
    }

    /** Watches from now, with all present objects as ADDED events first. */
    public Watcher watchFromNow(String resource, Selection selection) {
        ResourceLog log = log(resource);
        return locked(() -> {
            Iterator<StoreEvent> present = new Snapshot(log.tree, version).stream(selection)
                    .map(object -> new StoreEvent(StoreEvent.Type.ADDED, object)).iterator();
            return register(log, new Watcher(this, log, selection, version, present));
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
        return logs.values().stream().mapToInt(log -> log.watchers().all().size()).sum();
    }

    /** Ends every watch as if its connection were cut; they may start again. For tests of clients. */
    public void cutWatches() {
        logs.values().forEach(log -> log.watchers().all().forEach(Watcher::close));
    }

    /** Ends the watches of one resource, which is no longer served. What they have not told yet they still tell. */
    public void endWatches(String resource) {
        ResourceLog log = logs.get(resource);
        if (log != null) {
            log.dispatch();
            log.watchers().all().forEach(Watcher::close);
        }
    }

    /** Ends every watch, refuses further writes, and closes the storage. */
    @Override
    public void close() {
        locked(() -> closed = true);
        commits.lock();
        try {
            if (decided > version && failure == null) {
                commitPending();
            }
        } catch (StoreException.Failed e) {
            LOGGER.warn("the last writes were not kept: {}", e.getMessage());
        } finally {
            storage.close();
            commits.unlock();
        }
        cutWatches();
    }
}
