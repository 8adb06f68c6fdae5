package dev.wheelhouse.controllers.pods;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The objects of an informer's cache, as owners of others.
 *
 * @param selectors returns the selector of the objects that an owner adopts
 */
public record CachedOwners<T extends KubernetesObject>(SharedIndexInformer<T> cache,
        Function<T, @Nullable V1LabelSelector> selectors) implements PodOwners<T> {
    @Override
    public ResourceType type() {
        return cache.type();
    }

    @Override
    public @Nullable T get(ObjectKey key) {
        return cache.get(key);
    }

    @Override
    public List<T> list(String namespace) {
        return cache.getIndexer().list(namespace);
    }

    @Override
    public @Nullable V1LabelSelector selector(T owner) {
        return selectors.apply(owner);
    }
}
