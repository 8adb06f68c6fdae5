package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * A cache, indexed by the controllers of its objects. All users of a cache share the index (upstream:
 * {@code AddPodControllerIndexer} in {@code pkg/controller/controller_utils.go} and
 * {@code AddControllerRevisionControllerIndexer} in {@code pkg/controller/history/controller_history.go}). Thread safe.
 *
 * @param <T> the class of the objects
 */
public final class OwnedObjects<T extends KubernetesObject> {
    private static final String INDEX = "controller";
    /** One object, so that all users add the same index. */
    private static final Function<KubernetesObject, Collection<String>> VALUES = object -> {
        V1OwnerReference reference = OwnerReferences.controllerOf(object.getMetadata());
        return List.of(reference == null ? orphansOf(object.getMetadata().getNamespace()) : reference.getUid());
    };

    private final SharedIndexInformer<T> cache;

    /** Adds the index to the cache, if no other user has added it. */
    // The function takes any object, so it takes those of the cache.
    @SuppressWarnings("unchecked")
    public OwnedObjects(SharedIndexInformer<T> cache) {
        this.cache = cache;
        cache.getIndexer().addIndex(INDEX, (Function<T, Collection<String>>) (Function<?, ?>) VALUES);
    }

    /** The value of objects without a controller. No UID contains a slash. */
    private static String orphansOf(String namespace) {
        return "orphans/" + namespace;
    }

    /** The object with this key; null if the cache has none. */
    public @Nullable T get(ObjectKey key) {
        return cache.get(key);
    }

    /** The objects that refer to this owner as their controller. */
    public List<T> controlledBy(V1ObjectMeta owner) {
        return controlledBy(owner.getUid());
    }

    /** The objects that refer to the owner with this UID as their controller. */
    public List<T> controlledBy(String ownerUid) {
        return cache.getIndexer().byIndex(INDEX, ownerUid);
    }

    /** The objects that an owner controls, and the objects of its namespace without a controller, in no order. */
    public List<T> candidates(V1ObjectMeta owner) {
        List<T> candidates = new ArrayList<>(controlledBy(owner));
        candidates.addAll(cache.getIndexer().byIndex(INDEX, orphansOf(owner.getNamespace())));
        return candidates;
    }
}
