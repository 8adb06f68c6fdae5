package dev.wheelhouse.informer;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * A store of objects by key, with named indices (upstream: client-go {@code tools/cache/thread_safe_store.go}). Thread
 * safe. Callers must not change the objects that it returns, because the cache shares them; {@code ModelJson.copy}
 * makes a copy to change.
 */
public interface Indexer<T> {
    /** The name of the index by namespace, which every informer has. */
    String NAMESPACE_INDEX = "namespace";

    /** The object of a key; null if there is none. */
    @Nullable
    T get(ObjectKey key);

    /** A snapshot of all objects, in no particular order. */
    List<T> list();

    /** A snapshot of the objects of a namespace; of all objects if {@code namespace} is empty. */
    List<T> list(String namespace);

    /**
     * A snapshot of the objects that have a value in an index.
     * @throws IllegalArgumentException if there is no such index
     */
    List<T> byIndex(String index, String value);

    /**
     * A snapshot of the values for which an index has objects.
     * @throws IllegalArgumentException if there is no such index
     */
    Set<String> indexValues(String index);

    /**
     * Adds an index, before or after the informer's start. It includes the objects that are already stored. Users that
     * add the same function under the same name share one index.
     * @param values returns an object's values in the index
     * @throws IllegalArgumentException if there is an index of that name with another function
     */
    void addIndex(String name, Function<T, Collection<String>> values);

    /** Removes an index when each of the users that added it has removed it. Does nothing if there is none. */
    void removeIndex(String name);

    /** The number of objects. */
    int size();
}
