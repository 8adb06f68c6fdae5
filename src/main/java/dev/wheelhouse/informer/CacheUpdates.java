package dev.wheelhouse.informer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;

/**
 * Applies the steps of the {@link DeltaFifo} to the Indexer and collects the notifications that follow (upstream:
 * {@code processDeltas} in client-go {@code tools/cache/controller.go}). Not thread safe: callers hold the informer's
 * lock.
 */
record CacheUpdates<T extends KubernetesObject>(ThreadSafeStore<T> indexer, @Nullable MutationDetector<T> detector) {
    /** Applies a delta, and appends its notifications. */
    void handleDelta(Delta<T> delta, List<Notification<T>> notifications) {
        T object = delta.object();
        T before = indexer.get(delta.key());
        if (object != null && isStale(before, object)) {
            return;
        }
        if (delta.type() == Delta.Type.DELETED) {
            indexer.remove(delta.key());
            forget(before);
            if (before != null && object != null && sameObject(before, object)) {
                notifications.add(new Notification.Delete<>(object, false));
            } else if (before != null) {
                notifications.add(new Notification.Delete<>(before, true));
            }
        } else if (object != null && (before == null || !sameVersion(before, object))) {
            remember(object);
            indexer.put(delta.key(), object);
            forget(before);
            changed(before, object, false, notifications);
        }
    }

    /** Replaces the whole content. Appends the notifications: first the deletes, then the updates and adds. */
    void replace(DeltaFifo.Replaced<T> replaced, boolean initial, List<Notification<T>> notifications) {
        Map<ObjectKey, T> next = next(replaced);
        next.forEach((key, object) -> {
            if (object != indexer.get(key)) {
                remember(object);
            }
        });
        Map<ObjectKey, T> old = indexer.replace(next);
        old.forEach((key, before) -> {
            if (!next.containsKey(key)) {
                forget(before);
                notifications.add(new Notification.Delete<>(before, true));
            }
        });
        next.forEach((key, object) -> {
            T before = old.get(key);
            if (before != object) {
                forget(before);
                changed(before, object, initial, notifications);
            }
        });
    }

    /**
     * The content after a relist. An object whose cached version equals the listed one keeps the cached instance, so
     * that handlers are not told of a change. A listed object that could not be decoded keeps its cached state.
     */
    private Map<ObjectKey, T> next(DeltaFifo.Replaced<T> replaced) {
        Map<ObjectKey, T> next = new LinkedHashMap<>(Math.max(16, replaced.objects().size() * 3 / 2));
        for (T object : replaced.objects()) {
            ObjectKey key = ObjectKey.of(object);
            T cached = indexer.get(key);
            next.put(key, cached != null && sameVersion(cached, object) ? cached : object);
        }
        for (ObjectKey key : replaced.undecodable()) {
            T cached = indexer.get(key);
            if (cached != null) {
                next.putIfAbsent(key, cached);
            }
        }
        return next;
    }

    private void changed(@Nullable T before, T object, boolean initial, List<Notification<T>> notifications) {
        if (before == null) {
            notifications.add(new Notification.Add<>(object, initial));
        } else if (sameObject(before, object)) {
            notifications.add(new Notification.Update<>(before, object));
        } else {
            // The UID changed: the old object was deleted and another one created, and the watch did not see the
            // deletion.
            notifications.add(new Notification.Delete<>(before, true));
            notifications.add(new Notification.Add<>(object, false));
        }
    }

    private static boolean sameObject(KubernetesObject a, KubernetesObject b) {
        return Objects.equals(a.getMetadata().getUid(), b.getMetadata().getUid());
    }

    private static boolean sameVersion(KubernetesObject a, KubernetesObject b) {
        String version = a.getMetadata().getResourceVersion();
        return version != null && version.equals(b.getMetadata().getResourceVersion()) && sameObject(a, b);
    }

    /**
     * Whether an event brings a state that is older than the cached one. A sick server, or a cache in front of it, may
     * send events twice or out of order. A server that was restored from a backup is older too, but its state arrives
     * as a list and never as events.
     */
    private static boolean isStale(@Nullable KubernetesObject cached, KubernetesObject incoming) {
        if (cached == null) {
            return false;
        }
        String before = cached.getMetadata().getResourceVersion();
        String now = incoming.getMetadata().getResourceVersion();
        return ResourceVersions.isComparable(before) && ResourceVersions.isComparable(now)
                && ResourceVersions.compare(before, now) > 0;
    }

    /** Called before the indexer gets the object, because functions that index objects may change them. */
    private void remember(T object) {
        if (detector != null) {
            detector.add(object);
        }
    }

    private void forget(@Nullable T object) {
        if (detector != null && object != null) {
            detector.remove(object);
        }
    }
}
