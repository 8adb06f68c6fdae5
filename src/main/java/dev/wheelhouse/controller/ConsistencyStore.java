package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
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
 * Records the writes of each owner, and delays the owner's next sync until the caches show them. A decision is
 * therefore never based on a view that is older than the owner's own writes (upstream: KEP-5647,
 * {@code pkg/controller/util/consistency}). In addition to upstream it records writes of unknown outcome: they delay
 * the owner until a consistent read has settled them. Thread safe.
 */
public final class ConsistencyStore {
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Clock clock;
    private final Map<ResourceType, SharedIndexInformer<? extends KubernetesObject>> caches = new ConcurrentHashMap<>();
    private final Map<ObjectKey, Owner> owners = new ConcurrentHashMap<>();

    /**
     * A cache that has not reached a version yet.
     *
     * @param type the cache's type
     * @param wrote the version that the cache has to reach; after a conflict, {@code "after "} and the outdated version
     * @param seen the version that the cache has reached; empty if it is not known
     * @param since how long the owner has been delayed
     * @param retryAfter the time until the next check
     */
    public record Behind(ResourceType type, String wrote, String seen, Duration since, Duration retryAfter) {}

    private record Written(ResourceType type, @Nullable ObjectKey object) {}

    /**
     * A cached version that is known to be outdated.
     * @param until the time after which the cache is trusted even if it still shows the version; null for never
     */
    private record Outdated(String version, @Nullable Long until) {}

    private static final class Owner {
        final Map<Written, String> versions = new HashMap<>();
        final Map<Written, Outdated> outdated = new HashMap<>();
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
    }

    /** Records a write for an owner. A version that cannot be compared is ignored. */
    void wroteAt(ObjectKey owner, ResourceType type, ObjectKey object, @Nullable String resourceVersion) {
        note(owner, new Written(type, object), resourceVersion);
    }

    private void note(ObjectKey owner, Written written, @Nullable String version) {
        if (version == null || !ResourceVersions.isComparable(version) || !caches.containsKey(written.type)) {
            return;
        }
        change(owner, record -> record.versions.merge(written, version,
                (a, b) -> ResourceVersions.compare(a, b) >= 0 ? a : b));
    }

    /** Changes the record of an owner; makes it if there is none. */
    private void change(ObjectKey owner, Consumer<Owner> change) {
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
    void goneAt(ObjectKey owner, ResourceType type, ObjectKey object, String resourceVersion) {
        outdatedAt(owner, type, object, new Outdated(resourceVersion, null));
    }

    /**
     * Records that a write failed with a conflict: the object has changed since this version. Until the cache shows
     * another version, the same decision would cause the same conflict. The delay ends after a second at most, because
     * not every conflict is about the version.
     */
    void conflictAt(ObjectKey owner, ResourceType type, ObjectKey object, String resourceVersion) {
        outdatedAt(owner, type, object, new Outdated(resourceVersion, clock.deadline(LONGEST_WAIT)));
    }

    private void outdatedAt(ObjectKey owner, ResourceType type, ObjectKey object, Outdated outdated) {
        if (caches.containsKey(type)) {
            change(owner, record -> record.outdated.put(new Written(type, object), outdated));
        }
    }

    /** Records that a write of this type got no response, so that its outcome is unknown. */
    void unknownOutcome(ObjectKey owner, ResourceType type) {
        if (caches.containsKey(type)) {
            change(owner, record -> record.unsettled.add(type));
        }
    }

    /**
     * The types with writes of unknown outcome. The caller makes a consistent read of each and calls {@link #settled}.
     */
    List<ResourceType> unsettled(ObjectKey owner) {
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
    public void settled(ObjectKey owner, ResourceType type, @Nullable String version) {
        owners.computeIfPresent(owner, (key, record) -> {
            record.unsettled.remove(type);
            return record;
        });
        note(owner, new Written(type, null), version);
    }

    /** Drops the record of an owner, for example after its deletion. */
    public void forget(ObjectKey owner) {
        owners.remove(owner);
    }

    /**
     * A cache that the owner has to wait for; null if the caches are as new as its last writes. Writes of unknown
     * outcome count only after they are {@link #settled}.
     */
    public @Nullable Behind check(ObjectKey owner) {
        if (!owners.containsKey(owner)) {
            return null;
        }
        Behind[] behind = new Behind[1];
        owners.computeIfPresent(owner, (key, record) -> {
            for (Iterator<Map.Entry<Written, String>> i = record.versions.entrySet().iterator(); i.hasNext();) {
                Map.Entry<Written, String> entry = i.next();
                if (isSeen(entry.getKey(), entry.getValue())) {
                    i.remove();
                } else if (behind[0] == null) {
                    behind[0] = behind(record, entry.getKey().type, entry.getValue());
                }
            }
            for (Iterator<Map.Entry<Written, Outdated>> i = record.outdated.entrySet().iterator(); i.hasNext();) {
                Map.Entry<Written, Outdated> entry = i.next();
                if (!isShown(entry.getKey(), entry.getValue())) {
                    i.remove();
                } else if (behind[0] == null) {
                    behind[0] = behind(record, entry.getKey().type, "after " + entry.getValue().version);
                }
            }
            return behind[0] == null && record.unsettled.isEmpty() ? null : record;
        });
        return behind[0];
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

    private boolean isShown(Written written, Outdated outdated) {
        if (outdated.until != null && clock.nanoTime() - outdated.until >= 0) {
            return false;
        }
        SharedIndexInformer<? extends KubernetesObject> cache = caches.get(written.type);
        KubernetesObject cached = cache == null || written.object == null ? null : cache.get(written.object);
        String version = cached == null ? null : cached.getMetadata().getResourceVersion();
        return outdated.version.equals(version) || ResourceVersions.atLeast(outdated.version, version);
    }

    /**
     * Whether the cache shows a write: either the object has that version, or the cache as a whole has reached it. The
     * second check is for objects that were deleted or left the cache's selectors.
     */
    private boolean isSeen(Written written, String version) {
        SharedIndexInformer<? extends KubernetesObject> cache = caches.get(written.type);
        if (cache == null) {
            return true;
        }
        KubernetesObject cached = written.object == null ? null : cache.get(written.object);
        if (cached != null && ResourceVersions.atLeast(cached.getMetadata().getResourceVersion(), version)) {
            return true;
        }
        return ResourceVersions.atLeast(cache.resourceVersion(), version);
    }
}
