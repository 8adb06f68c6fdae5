package dev.wheelhouse.spring.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Indexer;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;

/**
 * The official client's interface of a cache. It is read-only, because the cache follows the API server. The objects
 * that it returns are copies: code for the official client may change them, and the cache's share their equal parts.
 * Thread safe.
 */
final class OfficialIndexer<T extends KubernetesObject> implements Indexer<T> {
    private final dev.wheelhouse.informer.Indexer<T> indexer;
    private final Map<String, Function<T, List<String>>> functions = new ConcurrentHashMap<>();

    OfficialIndexer(dev.wheelhouse.informer.Indexer<T> indexer) {
        this.indexer = indexer;
        functions.put(dev.wheelhouse.informer.Indexer.NAMESPACE_INDEX, object -> {
            String namespace = object.getMetadata().getNamespace();
            return List.of(namespace == null ? "" : namespace);
        });
    }

    @Override
    public List<T> list() {
        return copies(indexer.list());
    }

    @Override
    public List<String> listKeys() {
        return keys(indexer.list());
    }

    @Override
    public @Nullable T get(T object) {
        return copy(indexer.get(ObjectKey.of(object)));
    }

    @Override
    public @Nullable T getByKey(String key) {
        try {
            return copy(indexer.get(ObjectKey.parse(key)));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Override
    public List<T> byIndex(String indexName, String value) {
        return copies(indexer.byIndex(indexName, value));
    }

    @Override
    public List<String> indexKeys(String indexName, String value) {
        return keys(indexer.byIndex(indexName, value));
    }

    @Override
    public List<T> index(String indexName, T object) {
        Function<T, List<String>> function = functions.get(indexName);
        if (function == null) {
            throw new IllegalArgumentException("there is no index \"" + indexName + "\"");
        }
        Map<ObjectKey, T> found = new LinkedHashMap<>();
        for (String value : function.apply(object)) {
            for (T match : indexer.byIndex(indexName, value)) {
                found.put(ObjectKey.of(match), match);
            }
        }
        return copies(found.values());
    }

    @Override
    public Map<String, Function<T, List<String>>> getIndexers() {
        return new HashMap<>(functions);
    }

    /** @throws IllegalArgumentException if an index of one of the names exists */
    @Override
    public void addIndexers(Map<String, Function<T, List<String>>> added) {
        for (String name : added.keySet()) {
            if (functions.containsKey(name)) {
                throw new IllegalArgumentException("there is an index \"" + name + "\" already");
            }
        }
        added.forEach((name, function) -> {
            functions.put(name, function);
            indexer.addIndex(name, function::apply);
        });
    }

    private static <T extends KubernetesObject> List<T> copies(Collection<T> objects) {
        List<T> copies = new ArrayList<>(objects.size());
        objects.forEach(object -> copies.add(ModelJson.copy(object)));
        return copies;
    }

    private static <T extends KubernetesObject> @Nullable T copy(@Nullable T object) {
        return object == null ? null : ModelJson.copy(object);
    }

    private static List<String> keys(List<? extends KubernetesObject> objects) {
        return objects.stream().map(object -> ObjectKey.of(object).toString()).toList();
    }

    @Override
    public void add(T object) {
        throw readOnly();
    }

    @Override
    public void update(T object) {
        throw readOnly();
    }

    @Override
    public void delete(T object) {
        throw readOnly();
    }

    @Override
    public void replace(List<T> objects, String resourceVersion) {
        throw readOnly();
    }

    @Override
    public void resync() {
        // Each handler has a resync timer of its own.
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException(
                "the cache follows the API server: write to the API server, and the cache gets the event");
    }
}
