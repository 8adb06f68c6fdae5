package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;

/**
 * Remembers what was written for each owner, and holds its next sync back until the caches have seen it, so that no decision
 * rests on a view older than its own writes (upstream: KEP-5647, {@code pkg/controller/util/consistency}). Unlike upstream's it
 * also knows of writes whose fate is unknown: they hold the owner back until a consistent read has settled them. Thread safe.
 */
public final class ConsistencyStore {
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Clock clock;
    private final Map<ResourceType, SharedIndexInformer<? extends KubernetesObject>> caches = new ConcurrentHashMap<>();
    private final Map<ObjectKey, Owner> owners = new ConcurrentHashMap<>();

    /**
     * What a cache has not seen yet.
     *
     * @param type the cache's type
     * @param wrote the version that was written
     * @param seen the version that the cache has followed to, or empty
     * @param since for how long the owner has been held back
     * @param retryAfter when to look again
     */
    public record Behind(ResourceType type, String wrote, String seen, Duration since, Duration retryAfter) {}

    private record Written(ResourceType type, @Nullable ObjectKey object) {}

    /** @param until when a cache that still shows the version is believed all the same; null for never */
    private record Outdated(String version, @Nullable Long until) {}

    private static final class Owner {
        final Map<Written, String> versions = new HashMap<>();
        final Map<Written, Outdated> outdated = new HashMap<>();
        final Map<ResourceType, Boolean> unsettled = new HashMap<>();
        @Nullable
        Long heldSince;
    }

    public ConsistencyStore(Clock clock) {
        this.clock = clock;
    }

    /** Names the cache in which writes of a type will be seen. Writes of other types hold nobody back. */
    public void watch(ResourceType type, SharedIndexInformer<? extends KubernetesObject> cache) {
        caches.put(type, cache);
    }

    /** An object was written for an owner. A version that does not compare holds nobody back. */
    public void wroteAt(ObjectKey owner, ResourceType type, ObjectKey object, @Nullable String resourceVersion) {
        note(owner, new Written(type, object), resourceVersion);
    }

    private void note(ObjectKey owner, Written written, @Nullable String version) {
        if (version == null || !ResourceVersions.isComparable(version) || !caches.containsKey(written.type)) {
            return;
        }
        owners.compute(owner, (key, found) -> {
            Owner record = found == null ? new Owner() : found;
            record.versions.merge(written, version, (a, b) -> ResourceVersions.compare(a, b) >= 0 ? a : b);
            return record;
        });
    }

    /**
     * An update found that its object is not there any more: the cache that still shows it is old, and what is decided on it would be
     * undone by others, again and again.
     *
     * @param resourceVersion the version that the cache showed
     */
    public void goneAt(ObjectKey owner, ResourceType type, ObjectKey object, String resourceVersion) {
        outdatedAt(owner, type, object, new Outdated(resourceVersion, null));
    }

    /**
     * A write met a conflict: somebody has changed the object since this version. Until the cache shows another one, the same decision
     * would meet the same conflict. Not every conflict is about the version, so that this holds for a second at most.
     */
    public void conflictAt(ObjectKey owner, ResourceType type, ObjectKey object, String resourceVersion) {
        outdatedAt(owner, type, object, new Outdated(resourceVersion, clock.deadline(LONGEST_WAIT)));
    }

    private void outdatedAt(ObjectKey owner, ResourceType type, ObjectKey object, Outdated outdated) {
        if (caches.containsKey(type)) {
            owners.compute(owner, (key, found) -> {
                Owner record = found == null ? new Owner() : found;
                record.outdated.put(new Written(type, object), outdated);
                return record;
            });
        }
    }

    /** A write of this type got no answer, so that it may or may not have happened. */
    public void unknownOutcome(ObjectKey owner, ResourceType type) {
        if (caches.containsKey(type)) {
            owners.compute(owner, (key, found) -> {
                Owner record = found == null ? new Owner() : found;
                record.unsettled.put(type, true);
                return record;
            });
        }
    }

    /** The types for which a consistent read has to tell {@link #settled} the version to wait for. */
    public List<ResourceType> unsettled(ObjectKey owner) {
        List<ResourceType> types = new java.util.ArrayList<>();
        owners.computeIfPresent(owner, (key, record) -> {
            types.addAll(record.unsettled.keySet());
            return record;
        });
        return types;
    }

    /**
     * A consistent read that began after the write of unknown outcome has been made.
     *
     * @param version the newest version that it showed; null if there is nothing to wait for
     */
    public void settled(ObjectKey owner, ResourceType type, @Nullable String version) {
        owners.computeIfPresent(owner, (key, record) -> {
            record.unsettled.remove(type);
            return record;
        });
        note(owner, new Written(type, null), version);
    }

    /** Forgets an owner, as when it is gone. */
    public void forget(ObjectKey owner) {
        owners.remove(owner);
    }

    /** What holds the owner back, or null if the caches are as new as its last writes. */
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

    /** The wait doubles from 5 ms to 1 s: the event that is waited for usually brings the key back earlier. */
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
        return cached != null && outdated.version.equals(cached.getMetadata().getResourceVersion());
    }

    /**
     * The object itself tells first. It may have been changed or deleted since, or have left the cache's selectors; then the
     * version to which the cache as a whole has followed tells.
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
