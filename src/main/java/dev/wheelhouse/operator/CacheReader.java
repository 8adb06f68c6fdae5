package dev.wheelhouse.operator;

import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;

/**
 * Reads an operator's caches. A {@link Context} hands out copies. A mapping ({@link Setup#watches}) and a
 * {@link Context#view} are handed the cached objects themselves, which they must not change. A read of a type that the
 * operator did not declare throws {@code IllegalArgumentException}, which names the declaration to add.
 * Do not implement it: later versions add methods.
 */
public interface CacheReader {
    /** An object of a declared class; empty if the cache has none with this key. */
    <T extends KubernetesObject> Optional<T> get(Class<T> type, ObjectKey key);

    /** An object of a type that was declared without a class; empty if the cache has none with this key. */
    Optional<Unstructured> get(ResourceType type, ObjectKey key);

    /** The objects of a declared class in a namespace (empty for all) that match a selector, sorted by key. */
    <T extends KubernetesObject> List<T> list(Class<T> type, String namespace, LabelSelector labels);

    /** The objects that an index of {@link Setup#index} has under a value, sorted by namespace and name. */
    <T extends KubernetesObject> List<T> indexed(Class<T> type, String index, String value);
}
