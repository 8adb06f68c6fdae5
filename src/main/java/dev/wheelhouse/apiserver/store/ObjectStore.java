package dev.wheelhouse.apiserver.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.OutOfMemory;

/**
 * All objects of the API server, by resource ({@code pods}, {@code deployments.apps}). One version, which grows by one
 * with every write, orders the writes to all resources. A write names the version that it expects to replace. Reads are
 * snapshots. A watch starts at any kept version (upstream: {@code apiserver/pkg/storage/etcd3} and
 * {@code apiserver/pkg/storage/cacher}, in one).
 *
 * <p>Thread safe. One lock guards the comparison of versions and the append to the log. Objects are serialised before
 * the lock is taken; events are filtered and delivered after it is released. With a durable {@link Storage}, a write
 * becomes visible when it is committed there; the first waiting writer commits for all.
 */
public final class ObjectStore implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ObjectStore.class);
    /** The time from a failure of the storage until it is asked again. It grows with each further failure. */
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofSeconds(15);
    private static final Duration QUIET = Duration.ofMinutes(1);
    /** How many eras back {@link #lastCommitted} reaches. Eras last at least a second, so no writer waits that long. */
    private static final int ERAS = 1024;
    /** The memory of an object besides its JSON, in bytes, roughly. */
    private static final long OVERHEAD = 1024;
    /** The share of the heap for all objects, and again for their past states. */
    private static final int SHARE_OF_HEAP = 4;
    /** How many such shares stored objects may take at the start: an earlier process may have had a larger heap. */
    private static final int MOST_SHARES = 3;
    /** The part of this share that is left for objects that grow when no more can be created. */
    private static final int RESERVE = 8;
    /** Refuses writes after an error that left open whether the last ones are stored. Made before memory runs out. */
    private static final StorageException IN_DOUBT = new StorageException("the process failed while it stored writes, "
            + "and whether they are stored shows when it is started again: start it again", null);
    /** The part of this share that watches whose clients do not read may hold of a past that is no longer kept. */
    private static final int LATE = 8;

    private final Clock clock;
    private final Retention retention;
    private final Storage storage;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ResourceLog> logs = new ConcurrentHashMap<>();
    /** Held by the thread that commits to the storage. Others wait for it and then find their writes committed. */
    private final ReentrantLock commits = new ReentrantLock();
    /** Writes that are decided but not committed, which no reader sees. Guarded by the lock. */
    private List<Pending> pending = new ArrayList<>();
    /** Why writes are refused at the moment; null if they are taken. */
    private volatile @Nullable StorageException failure;
    /** The last failure that undid writes. */
    private volatile @Nullable StorageException lastFailure;
    /** The most memory of all objects, in bytes, and of all past states. */
    private final long most;
    /** The memory of all objects with the decided writes. Guarded by the lock, as the next two. */
    private long stored;
    /** The bytes of all windows of past changes. */
    private long past;
    private boolean saidThatItIsFull;
    /** The bytes of past changes that were dropped from the windows since the late watches were ended. */
    private final AtomicLong forgotten = new AtomicLong();
    /** Counts the failures of the storage. Each undoes all writes that were decided but not committed. */
    private volatile long era;
    /** By era (modulo its length), the last version that was committed in it. The present era is not in it. */
    private final AtomicLongArray lastCommitted = new AtomicLongArray(ERAS);
    private final Backoff retries;
    /** When the storage may be asked again, in nanoseconds of the clock. Guarded by {@link #commits}. */
    private long retryAt;
    private long failedAt;
    /** The version of the last decided write. */
    private volatile long decided;
    /** The version of the last committed write. */
    private volatile long version;
    private volatile boolean closed;
    /** The oldest kept version of a resource without writes. */
    private volatile long compacted;

    /** A store whose objects take at most a quarter of the heap, and their past states another one. */
    public ObjectStore(Clock clock, Retention retention, Storage storage) {
        this(clock, retention, storage, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

    /** @param most bytes of the objects, and of their past states; an object counts for its JSON and a kilobyte */
    ObjectStore(Clock clock, Retention retention, Storage storage, long most) {
        this.most = most;
        this.clock = clock;
        this.retention = retention;
        this.storage = storage;
        this.retries = new Backoff(FIRST_RETRY, LAST_RETRY, 2, 0, QUIET, clock, new SplittableRandom());
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
        private void load(long bytes) {
            stored += bytes;
            if (stored > most * MOST_SHARES) {
                throw new StoreException.Full(stored, most);
            }
        }

        @Override
        public void object(long at, String resource, byte[] json) {
            StoredObject object = StoredObject.draft(resource, (ObjectNode) Json.read(json), at);
            load(memory(object));
            log(resource).load(object);
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
            Change change = newChange(log, key, current, next, at);
            log.head = change.after;
            load(growth(change));
            remember(log, change);
            log.dispatch();
        }
    }

    /** @param next null for a deletion */
    private Change newChange(ResourceLog log, String key, @Nullable StoredObject current, @Nullable StoredObject next,
            long at) {
        return next == null
                ? new Change(Objects.requireNonNull(current).atVersion(at), current, true, log.head.without(key),
                        clock.nanoTime())
                : new Change(next, current, false, log.head.with(key, next), clock.nanoTime());
    }

    ResourceLog log(String resource) {
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

    /** The newest state of an object; null if there is none. Cluster-scoped objects have an empty namespace. */
    public @Nullable StoredObject get(String resource, String namespace, String name) {
        return log(resource).tree.get(StoredObject.key(namespace, name));
    }

    /**
     * Stores a new object and sets its {@code metadata.resourceVersion}.
     *
     * @param object with its name
     * @throws StoreException.Exists if there already is one of this name
     * @throws StoreException.Failed if the storage takes no writes
     * @throws StoreException.Full if all objects together take too much memory
     * @throws TooLargeException if it is larger than {@link TooLargeException#MOST_BYTES}
     */
    public StoredObject create(String resource, ObjectNode object) {
        return stamped(object, write(resource, keyOf(object), current -> {
            if (current != null) {
                throw new StoreException.Exists(current);
            }
        }, draft(resource, object)));
    }

    /**
     * Replaces an object and sets its {@code metadata.resourceVersion}.
     *
     * @throws StoreException.Conflict if the stored object is not at the expected version, or missing
     * @throws StoreException.Failed if the storage takes no writes
     * @throws TooLargeException if it is larger than {@link TooLargeException#MOST_BYTES}
     */
    public StoredObject update(String resource, ObjectNode object, long expected) {
        String key = keyOf(object);
        return stamped(object,
                write(resource, key, current -> require(key, current, expected), draft(resource, object)));
    }

    /**
     * Deletes an object.
     *
     * @return its last state, at the version of the deletion
     * @throws StoreException.Conflict if the stored object is not at the expected version, or missing
     * @throws StoreException.Failed if the storage takes no writes
     */
    public StoredObject delete(String resource, String namespace, String name, long expected) {
        String key = StoredObject.key(namespace, name);
        return write(resource, key, current -> require(key, current, expected), null);
    }

    /**
     * Gives the present state of an object, null if there is none, to an attempt to write it. If another write comes
     * first, the next attempt gets the newer state (upstream: the loop of {@code GuaranteedUpdate}). There is no limit:
     * each repetition means that another write was committed, and a write after the deadline of its request fails.
     *
     * @param attempt throws {@link StoreException.Conflict} if the object has changed; all else that it throws ends
     *     the attempts
     * @throws StoreException.Conflict if the attempt throws it although the object has not changed
     */
    public <T extends @Nullable Object> T retryOnConflict(String resource, String namespace, String name,
            Function<@Nullable StoredObject, T> attempt) {
        StoredObject current = get(resource, namespace, name);
        while (true) {
            try {
                return attempt.apply(current);
            } catch (StoreException.Conflict e) {
                StoredObject newer = get(resource, namespace, name);
                if (newer == current) {
                    throw e;
                }
                current = newer;
            }
        }
    }

    /**
     * Changes an object, from its newest state if another write comes first (upstream: {@code GuaranteedUpdate}).
     *
     * @param transform changes the tree and says whether it is to be stored; an exception ends the update
     * @return the stored state; null if there is no such object, or the transform stores nothing
     */
    public @Nullable StoredObject guaranteedUpdate(String resource, String namespace, String name,
            Predicate<ObjectNode> transform) {
        return this.<@Nullable StoredObject>retryOnConflict(resource, namespace, name, current -> {
            ObjectNode object = current == null ? null : current.tree();
            return object != null && transform.test(object) ? update(resource, object, current.version()) : null;
        });
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

    /** The number of backslashes. Upstream stores built-in types as protobuf, which has none, so they do not count. */
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

    /** @param draft the new state, null to delete */
    private StoredObject write(String resource, String key, Consumer<@Nullable StoredObject> precondition,
            @Nullable StoredObject draft) {
        // The client of an overdue request was told of a timeout, so its write must not begin. Nor must a write that
        // has no memory for its answer.
        Deadline.checkNow();
        if (draft != null) {
            Allowance.coverAnswer(draft.json().length);
        }
        if (failure != null) {
            resume();
        }
        ResourceLog log = log(resource);
        long before = era;
        Decided decision;
        try {
            decision = locked(() -> decide(log, resource, key, precondition, draft));
        } catch (StoreException.Exists | StoreException.Conflict e) {
            // The object that it found may not be committed yet. No client may learn of it before.
            awaitCommit(decided, before);
            throw e;
        }
        awaitCommit(decision.change.version, decision.era);
        // Nothing from here on may fail: the write has happened.
        log.dispatch();
        endLateWatches();
        return decision.change.object;
    }

    private record Decided(Change change, long era) {}

    private Decided decide(ResourceLog log, String resource, String key, Consumer<@Nullable StoredObject> precondition,
            @Nullable StoredObject draft) {
        refuseWritesIfUnable();
        StoredObject current = log.head.get(key);
        precondition.accept(current);
        long at = decided + 1;
        Change change = newChange(log, key, current, draft == null ? null : draft.atVersion(at), at);
        refuseIfFull(change);
        Decided decision = new Decided(change, era);
        if (storage.isDurable()) {
            // If memory runs out here, nothing was decided: a version that nobody commits would be missing for ever.
            pending.add(new Pending(log, resource, key, change));
        }
        stored += growth(change);
        log.head = change.after;
        decided = at;
        if (!storage.isDurable()) {
            publish(log, change);
        }
        return decision;
    }

    private static long memory(@Nullable StoredObject object) {
        return object == null ? 0 : object.json().length + OVERHEAD;
    }

    /** By how much the memory of all objects grows with a change. */
    private static long growth(Change change) {
        return (change.deletion ? 0 : memory(change.object)) - memory(change.previous);
    }

    private void refuseIfFull(Change change) {
        long more = growth(change);
        if (more <= 0 || stored + more <= (change.previous == null ? most : most + most / RESERVE)) {
            saidThatItIsFull &= stored > most - most / RESERVE;
            return;
        }
        StoreException.Full full = new StoreException.Full(stored, most);
        if (!saidThatItIsFull) {
            saidThatItIsFull = true;
            LOGGER.warn("{}; objects can be read, changed and deleted", full.getMessage());
        }
        throw full;
    }

    /** Adds a change to the window of its resource. If all windows take too much memory, the largest is shortened. */
    private void remember(ResourceLog log, Change change) {
        long before = log.bytes();
        log.append(change);
        long appended = log.bytes();
        log.compact(retention, change.nanos);
        past += log.bytes() - before;
        forgotten.addAndGet(appended - log.bytes());
        while (past > most) {
            ResourceLog largest = Collections.max(logs.values(), Comparator.comparingLong(ResourceLog::bytes));
            long freed = largest.shorten();
            if (freed == 0) {
                return;
            }
            past -= freed;
            forgotten.addAndGet(freed);
        }
    }

    private void endLateWatches() {
        long limit = most / LATE;
        if (forgotten.get() > limit && forgotten.getAndSet(0) > limit) {
            logs.values().forEach(ResourceLog::endLateWatchers);
        }
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
        try {
            remember(log, change);
        } catch (Throwable e) {
            inDoubt(e);
            throw e;
        }
        version = change.version;
    }

    /** Refuses all further writes, because an error left open what became of the last ones. */
    private void inDoubt(Throwable error) {
        failure = IN_DOUBT;
        OutOfMemory.check(error);
    }

    /**
     * Returns when all writes up to a version are committed and visible. The first waiting thread commits for all.
     *
     * @param decidedIn the era in which the version was decided; in a later era the number may be that of another write
     */
    private void awaitCommit(long at, long decidedIn) {
        if (isCommitted(at, decidedIn)) {
            return;
        }
        List<Pending> batch;
        commits.lock();
        try {
            if (isCommitted(at, decidedIn)) {
                return;
            }
            batch = commitPending();
        } finally {
            commits.unlock();
        }
        batch.stream().map(Pending::log).distinct().forEach(ResourceLog::dispatch);
    }

    /** @throws StoreException.Failed if the write was undone */
    private boolean isCommitted(long at, long decidedIn) {
        // The version is read first. If the era is still the same after that, the version belongs to it.
        boolean reached = version >= at;
        long now = era;
        if (now == decidedIn) {
            return reached;
        }
        if (now - decidedIn < ERAS && at <= lastCommitted.get((int) (decidedIn % ERAS))) {
            return true;
        }
        throw new StoreException.Failed(Objects.requireNonNull(lastFailure));
    }

    /**
     * @throws StoreException.Failed if the storage took none of the writes; they are undone
     * @throws IllegalStateException if it is not known whether they are stored
     */
    private List<Pending> commitPending() {
        if (failure != null) {
            throw new IllegalStateException(IN_DOUBT);
        }
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
        } catch (Throwable e) {
            inDoubt(e);
            throw e;
        }
        locked(() -> {
            batch.forEach(p -> publish(p.log, p.change));
            return version;
        });
        return batch;
    }

    /** Begins a new era: undoes all writes that are decided but not committed. */
    private void undo(StorageException e, List<Pending> batch) {
        // It stays so if memory runs out before the end.
        failure = IN_DOUBT;
        locked(() -> {
            for (Pending undone : Stream.concat(batch.stream(), pending.stream()).toList()) {
                undone.log.undo();
                stored -= growth(undone.change);
            }
            pending = new ArrayList<>();
            decided = version;
            lastFailure = e;
            failure = e;
            lastCommitted.set((int) (era % ERAS), version);
            return ++era;
        });
        failedAt = clock.nanoTime();
        retryAt = clock.deadline(retries.next());
        LOGGER.warn("{}; until then writes are refused, and reads go on", e.getMessage());
    }

    /**
     * Asks the storage whether it takes writes again, if enough time has passed.
     *
     * @throws StoreException.Failed if not
     */
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
            LOGGER.info("writes are taken again after {} s; the last stored version is {}",
                    Duration.ofNanos(clock.nanoTime() - failedAt).toSeconds(), version);
        } catch (StorageException e) {
            failure = e;
            throw new StoreException.Failed(e);
        } finally {
            commits.unlock();
        }
    }

    /**
     * Why writes are refused, in a few words that name no path; null if they are taken. It asks the storage itself, so
     * that a failure shows even if there are no writes. While writes fail, it asks at most once a second.
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
     * The committed changes of a resource after a version, oldest first.
     *
     * @throws StoreException.Expired if some of them are no longer kept
     */
    List<Change> changes(String resource, long after) {
        ResourceLog log = log(resource);
        return locked(() -> log.since(after));
    }

    /**
     * The state of a resource at a version.
     *
     * @throws StoreException.Expired if it is no longer kept
     * @throws StoreException.Future if no write has reached the version yet
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
     * Watches all changes after a version. The version may be in the future: the watch then skips the changes up to it.
     *
     * @throws StoreException.Expired if changes after it are no longer kept
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

    /** Watches from now. The first events are ADDED, one for each selected object that exists. */
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
        log.watchers.add(watcher);
        return watcher;
    }

    /** Forgets all past versions: watches and lists at an older version end as expired. For tests and operators. */
    public void compact() {
        locked(() -> {
            compacted = version;
            logs.values().forEach(log -> log.compactTo(compacted));
            past = 0;
            return compacted;
        });
    }

    /** The number of open watches. */
    public int watchers() {
        return logs.values().stream().mapToInt(log -> log.watchers.all().size()).sum();
    }

    /** Ends every watch as a lost connection would. For tests of clients. */
    public void cutWatches() {
        logs.values().forEach(log -> log.watchers.all().forEach(Watcher::close));
    }

    /** Ends the watches of a resource that is no longer served. Events that were queued before can still be polled. */
    public void endWatches(String resource) {
        ResourceLog log = logs.get(resource);
        if (log != null) {
            log.awaitDispatch();
            log.watchers.all().forEach(Watcher::close);
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
            LOGGER.warn("the last writes were not stored: {}", e.getMessage());
        } finally {
            storage.close();
            commits.unlock();
        }
        cutWatches();
    }
}
