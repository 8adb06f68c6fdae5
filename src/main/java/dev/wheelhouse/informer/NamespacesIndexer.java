package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * The caches of several namespaces as one. A list combines one snapshot per namespace; they are not of the same moment.
 */
record NamespacesIndexer<T>(Map<String, Indexer<T>> byNamespace) implements Indexer<T> {
    @Override
    public @Nullable T get(ObjectKey key) {
        Indexer<T> indexer = byNamespace.get(key.namespace());
        return indexer == null ? null : indexer.get(key);
    }

    @Override
    public List<T> list() {
        return gather(Indexer::list);
    }

    @Override
    public List<T> list(String namespace) {
        if (namespace.isEmpty()) {
            return list();
        }
        Indexer<T> indexer = byNamespace.get(namespace);
        return indexer == null ? List.of() : indexer.list();
    }

    @Override
    public List<T> byIndex(String index, String value) {
        return gather(indexer -> indexer.byIndex(index, value));
    }

    private List<T> gather(Function<Indexer<T>, List<T>> read) {
        List<T> all = new ArrayList<>();
        byNamespace.values().forEach(indexer -> all.addAll(read.apply(indexer)));
        return all;
    }

    @Override
    public Set<String> indexValues(String index) {
        Set<String> all = new TreeSet<>();
        byNamespace.values().forEach(indexer -> all.addAll(indexer.indexValues(index)));
        return all;
    }

    @Override
    public void addIndex(String name, Function<T, Collection<String>> values) {
        byNamespace.values().forEach(indexer -> indexer.addIndex(name, values));
    }

    @Override
    public void removeIndex(String name) {
        byNamespace.values().forEach(indexer -> indexer.removeIndex(name));
    }

    @Override
    public int size() {
        return byNamespace.values().stream().mapToInt(Indexer::size).sum();
    }
}
