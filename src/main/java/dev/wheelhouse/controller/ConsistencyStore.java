package dev.wheelhouse.controller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;

/**
 * Records the writes and deletions of each owner, and delays the owner's next sync until the caches show them. A
 * decision is therefore never based on a view that is older than the owner's own writes (upstream: KEP-5647,
 * {@code pkg/controller/util/consistency}). In addition to upstream it records writes of unknown outcome: they delay
 * the owner until a consistent read has settled them. Thread safe.
 */
public final class ConsistencyStore {
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Clock clock;
    private final Map<ResourceType, SharedIndexInformer<? extends KubernetesObject>> caches = new ConcurrentHashMap<>();
    private final Map<Object, Owner> owners = new ConcurrentHashMap<>();
    private volatile Consumer<Object> again = owner -> {};

    /**
     * A cache that has not reached a version yet.
     *
     * @param type the cache's type
     * @param wrote the version that the cache has to reach; {@code "after "} and an outdated version; or
     *     {@code "without "} and a deleted object
     * @param seen the version that the cache has reached; empty if it is not known
     * @param since how long the owner has been delayed
     * @param retryAfter the time until the next check
     */
    public record Behind(ResourceType type, String wrote, String seen, Duration since, Duration retryAfter) {}

    /** An object that was written or deleted. */
    private record Target(ResourceType type, ObjectKey object) {}

    /** The newest write of a type. The object is null after a consistent read, which names a version only. */
    private record Newest(String version, @Nullable ObjectKey object) {}

    /**
     * A cached version that is known to be outdated.
     * @param until the time after which the cache is trusted even if it still shows the version; null for never
     */
    private record Outdated(String version, @Nullable Long until) {}

    private static final class Owner {
        final Map<ResourceType, Newest> newest = new HashMap<>();
        /** The UIDs of deleted objects that the cache showed before their deletion. */
        final Map<Target, String> deleted = new HashMap<>();
        final Map<Target, Outdated> outdated = new HashMap<>();
        final Set<ResourceType> unsettled = new HashSet<>();
        @Nullable
        Long heldSince;
    }

    public ConsistencyStore(Clock clock) {
        this.clock = clock;
    }

    /** Registers the cache that shows the writes of a type. Writes of types without a cache delay nobody. */
    public void register(ResourceType type, SharedIndexInformer<? extends KubernetesObject> cache) {
        caches.put(type, cache);
        cache.onReplaced(before -> replaced(type, before));
    }

    private void replaced(ResourceType type, String before) {
        List<Object> unheard = new ArrayList<>();
        owners.keySet().forEach(owner -> owners.computeIfPresent(owner, (key, record) -> {
            Newest newest = record.newest.get(type);
            if (newest != null && !ResourceVersions.atLeast(before, newest.version)) {
                unheard.add(owner);
            }
            return record;
        }));
        unheard.forEach(again);
    }

    /**
     * Sets an action for owners of whose last writes a cache has learned by a list. What they have made may have been
     * deleted before that list, so that no event tells it.
     */
    void whenListed(Consumer<Object> action) {
        again = action;
    }

    /** Records a write for an owner. A version that cannot be compared is ignored. */
    void wroteAt(Object owner, ResourceType type, @Nullable ObjectKey object, @Nullable String resourceVersion) {
        if (resourceVersion == null || !ResourceVersions.isComparable(resourceVersion) || !caches.containsKey(type)) {
            return;
        }
        change(owner, record -> record.newest.merge(type, new Newest(resourceVersion, object),
                (a, b) -> ResourceVersions.compare(a.version, b.version) >= 0 ? a : b));
    }

    /** The UID of an object that the cache shows as not being deleted; null if there is none. */
    @Nullable
    String uidOf(ResourceType type, ObjectKey object) {
        KubernetesObject cached = cached(type, object);
        return cached == null || cached.getMetadata().getDeletionTimestamp() != null
                ? null
                : cached.getMetadata().getUid();
    }

    /** The version of an object that the cache shows; null if there is none. */
    @Nullable
    String versionOf(ResourceType type, ObjectKey object) {
        KubernetesObject cached = cached(type, object);
        return cached == null ? null : cached.getMetadata().getResourceVersion();
    }

    private @Nullable KubernetesObject cached(ResourceType type, ObjectKey object) {
        SharedIndexInformer<? extends KubernetesObject> cache = caches.get(type);
        return cache == null ? null : cache.get(object);
    }

    /**
     * Records that an owner deleted an object. The answer to a deletion may name no version, so the owner waits until
     * the cache shows the object as being deleted, or not at all.
     *
     * @param uid the {@link #uidOf} the object before the deletion
     */
    void deleted(Object owner, ResourceType type, ObjectKey object, String uid) {
        change(owner, record -> record.deleted.put(new Target(type, object), uid));
    }

    /** Changes the record of an owner; makes it if there is none. */
    private void change(Object owner, Consumer<Owner> change) {
        owners.compute(owner, (key, found) -> {
            Owner record = found == null ? new Owner() : found;
            change.accept(record);
            return record;
        });
    }

    /**
     * Records that an update failed because its object does not exist. The cache that still shows the object is
     * outdated; decisions based on it would fail or be undone again and again.
     *
     * @param resourceVersion the last known version; a cache that shows it, or an older one, is outdated
     */
    void goneAt(Object owner, ResourceType type, ObjectKey object, String resourceVersion) {
        outdatedAt(owner, type, object, new Outdated(resourceVersion, null));
    }

    /**
     * Records that a write failed with a conflict: the object has changed since this version. Until the cache shows
     * another version, the same decision would cause the same conflict. The delay ends after a second at most, because
     * not every conflict is about the version.
     */
    void conflictAt(Object owner, ResourceType type, ObjectKey object, String resourceVersion) {
        outdatedAt(owner, type, object, new Outdated(resourceVersion, clock.deadline(LONGEST_WAIT)));
    }

    private void outdatedAt(Object owner, ResourceType type, ObjectKey object, Outdated outdated) {
        if (caches.containsKey(type)) {
            change(owner, record -> record.outdated.put(new Target(type, object), outdated));
        }
    }

    /** Records that a write of this type got no response, so that its outcome is unknown. */
    void unknownOutcome(Object owner, ResourceType type) {
        if (caches.containsKey(type)) {
            change(owner, record -> record.unsettled.add(type));
        }
    }

    /**
     * The types with writes of unknown outcome. The caller makes a consistent read of each and calls {@link #settled}.
     */
    List<ResourceType> unsettled(Object owner) {
        List<ResourceType> types = new ArrayList<>();
        owners.computeIfPresent(owner, (key, record) -> {
            types.addAll(record.unsettled);
            return record;
        });
        return types;
    }

    /**
     * Records a consistent read that began after the write of unknown outcome was sent.
     *
     * @param version the newest object version in that read; null if there is nothing to wait for
     */
    public void settled(Object owner, ResourceType type, @Nullable String version) {
        owners.computeIfPresent(owner, (key, record) -> {
            record.unsettled.remove(type);
            return record;
        });
        wroteAt(owner, type, null, version);
    }

    /** Drops the record of an owner, for example after its deletion. */
    public void forget(Object owner) {
        owners.remove(owner);
    }

    /**
     * A cache that the owner has to wait for; null if the caches are as new as its last writes. Writes of unknown
     * outcome count only after they are {@link #settled}.
     */
    public @Nullable Behind check(Object owner) {
        if (!owners.containsKey(owner)) {
            return null;
        }
        Behind[] behind = new Behind[1];
        owners.computeIfPresent(owner, (key, record) -> {
            record.newest.entrySet().removeIf(entry -> isSeen(entry.getKey(), entry.getValue()));
            record.deleted.entrySet().removeIf(entry -> !entry.getValue().equals(uidOf(entry.getKey().type,
                    entry.getKey().object)));
            record.outdated.entrySet().removeIf(entry -> !isShown(entry.getKey(), entry.getValue()));
            behind[0] = behind(record);
            return behind[0] == null && record.unsettled.isEmpty() ? null : record;
        });
        return behind[0];
    }

    /** The first cache that an owner has to wait for; null if there is none. */
    private @Nullable Behind behind(Owner record) {
        for (Map.Entry<ResourceType, Newest> entry : record.newest.entrySet()) {
            return behind(record, entry.getKey(), entry.getValue().version);
        }
        for (Target target : record.deleted.keySet()) {
            return behind(record, target.type, "without " + target.object);
        }
        for (Map.Entry<Target, Outdated> entry : record.outdated.entrySet()) {
            return behind(record, entry.getKey().type, "after " + entry.getValue().version);
        }
        return null;
    }

    /**
     * The waits grow with the total delay, from 5 ms to 1 s. Usually the awaited event requeues the key before that.
     */
    private Behind behind(Owner record, ResourceType type, String wrote) {
        long now = clock.nanoTime();
        if (record.heldSince == null) {
            record.heldSince = now;
        }
        Duration since = Duration.ofNanos(now - record.heldSince);
        Duration wait = since.compareTo(SHORTEST_WAIT) < 0
                ? SHORTEST_WAIT
                : since.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : since;
        SharedIndexInformer<?> cache = caches.get(type);
        return new Behind(type, wrote, cache == null ? "" : cache.resourceVersion(), since, wait);
    }

    private boolean isShown(Target target, Outdated outdated) {
        if (outdated.until != null && clock.nanoTime() - outdated.until >= 0) {
            return false;
        }
        String version = versionOf(target.type, target.object);
        return outdated.version.equals(version) || ResourceVersions.atLeast(outdated.version, version);
    }

    /**
     * Whether the cache shows the newest write of a type: either its object has that version, or the cache as a whole
     * has reached it. The second check is for objects that were deleted or left the cache's selectors. A cache that
     * does not follow the object's namespace any more will never show it.
     */
    private boolean isSeen(ResourceType type, Newest newest) {
        SharedIndexInformer<? extends KubernetesObject> whole = caches.get(type);
        SharedIndexInformer<? extends KubernetesObject> cache = whole == null || newest.object == null
                ? whole
                : whole.of(newest.object.namespace());
        if (cache == null) {
            return true;
        }
        KubernetesObject cached = newest.object == null ? null : cache.get(newest.object);
        return cached != null && ResourceVersions.atLeast(cached.getMetadata().getResourceVersion(), newest.version)
                || ResourceVersions.atLeast(cache.resourceVersion(), newest.version);
    }
}
