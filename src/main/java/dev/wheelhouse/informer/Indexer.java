package dev.wheelhouse.informer;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * A thread-safe store of objects by key, with named indices (upstream: client-go {@code tools/cache/thread_safe_store.go}).
 * Objects that come out are the cache's own: never change them.
 */
public interface Indexer<T> {
    /** The name of the index by namespace that every informer has. */
    String NAMESPACE_INDEX = "namespace";

    @Nullable
    T get(ObjectKey key);

    /** All objects, in no order: a snapshot. */
    List<T> list();

    /** The objects of a namespace; of all for the empty one. */
    List<T> list(String namespace);

    /** The objects that an index files under a value. @throws IllegalArgumentException if there is no such index */
    List<T> byIndex(String index, String value);

    /** The values that an index knows. @throws IllegalArgumentException if there is no such index */
    Set<String> indexValues(String index);

    /** Adds an index, before start or later. @param values under which values to file an object */
    void addIndex(String name, Function<T, Collection<String>> values);

    int size();
}
