package dev.wheelhouse.controllers.volume;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * A cache with this controller's own writes that it does not show yet. Claims compete for volumes: a claim must see
 * what the sync of another claim has just written (upstream: {@code storeObjectUpdate} in
 * {@code pv_controller_base.go}). Thread safe.
 */
final class OwnWrites<T extends KubernetesObject> {
    private final SharedIndexInformer<T> cache;
    private final Map<ObjectKey, T> written = new ConcurrentHashMap<>();

    OwnWrites(SharedIndexInformer<T> cache) {
        this.cache = cache;
    }

    /** The newest known state of an object; null if it does not exist. */
    @Nullable
    T get(ObjectKey key) {
        T cached = cache.get(key);
        return cached == null ? null : newest(cached);
    }

    /** The newest known state of an object that is in the cache. */
    T newest(T cached) {
        T own = written.get(ObjectKey.of(cached));
        return own == null || isAsNew(cached, own) ? cached : own;
    }

    void add(T object) {
        written.put(ObjectKey.of(object), object);
    }

    /** Forgets a write that the cache shows, or that is gone with its object. */
    void seen(T cached, boolean deleted) {
        written.computeIfPresent(ObjectKey.of(cached), (key, own) -> deleted || isAsNew(cached, own) ? null : own);
    }

    private static boolean isAsNew(KubernetesObject cached, KubernetesObject own) {
        return ResourceVersions.atLeast(cached.getMetadata().getResourceVersion(),
                String.valueOf(own.getMetadata().getResourceVersion()));
    }
}
