package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;

/**
 * The caches of several namespaces as one. They come and go; each has the indices that were added here. A list combines
 * one snapshot per namespace; they are not of the same moment. Thread safe.
 */
final class NamespacesIndexer<T extends KubernetesObject> implements Indexer<T> {
    private final Map<String, Function<T, Collection<String>>> indices = new LinkedHashMap<>();
    private volatile Map<String, CachingInformer<T>> members = Map.of();

    /** The caches by namespace, in the order of the names. */
    Map<String, CachingInformer<T>> members() {
        return members;
    }

    synchronized void put(String namespace, CachingInformer<T> member) {
        indices.forEach(member.getIndexer()::addIndex);
        Map<String, CachingInformer<T>> next = new TreeMap<>(members);
        next.put(namespace, member);
        members = next;
    }

    synchronized void remove(String namespace, CachingInformer<T> member) {
        Map<String, CachingInformer<T>> next = new TreeMap<>(members);
        next.remove(namespace);
        members = next;
        indices.keySet().forEach(member.getIndexer()::removeIndex);
    }

    @Override
    public @Nullable T get(ObjectKey key) {
        CachingInformer<T> member = members.get(key.namespace());
        return member == null ? null : member.get(key);
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
        CachingInformer<T> member = members.get(namespace);
        return member == null ? List.of() : member.getIndexer().list();
    }

    @Override
    public List<T> byIndex(String index, String value) {
        return gather(indexer -> indexer.byIndex(index, value));
    }

    @SuppressWarnings("ReferenceEquality") // Each change makes another map.
    private List<T> gather(Function<Indexer<T>, List<T>> read) {
        Map<String, CachingInformer<T>> seen = members;
        List<T> all = new ArrayList<>();
        try {
            seen.values().forEach(member -> all.addAll(read.apply(member.getIndexer())));
        } catch (IllegalArgumentException e) {
            if (seen != members) {
                // A namespace has left, and its cache does not have the index any more.
                return gather(read);
            }
            throw e;
        }
        return all;
    }

    @Override
    public Set<String> indexValues(String index) {
        Set<String> all = new TreeSet<>();
        members.values().forEach(member -> all.addAll(member.getIndexer().indexValues(index)));
        return all;
    }

    @Override
    public synchronized void addIndex(String name, Function<T, Collection<String>> values) {
        members.values().forEach(member -> member.getIndexer().addIndex(name, values));
        indices.put(name, values);
    }

    @Override
    public synchronized void removeIndex(String name) {
        if (indices.remove(name) != null) {
            members.values().forEach(member -> member.getIndexer().removeIndex(name));
        }
    }

    @Override
    public int size() {
        return members.values().stream().mapToInt(member -> member.getIndexer().size()).sum();
    }
}
