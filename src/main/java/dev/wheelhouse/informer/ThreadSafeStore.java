package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ObjectKey;

/**
 * The store behind an informer (upstream: client-go {@code tools/cache/thread_safe_store.go}). Writers exclude each other; a
 * read of one object takes no lock; a read of many is optimistic, and sees the store as it was at one moment: one change, or
 * a whole {@link #replace}, is there or not, in the objects and in every index.
 */
final class ThreadSafeStore<T> implements Indexer<T> {
    private static final Logger log = LoggerFactory.getLogger(ThreadSafeStore.class);
    private static final int OPTIMISTIC_READS = 3;

    /** Held for as long as a write takes in all. */
    private final Object writing = new Object();
    /** Held just while the state changes: a few map operations. */
    private final StampedLock lock = new StampedLock();
    private volatile State<T> state;

    private record State<T>(ConcurrentHashMap<ObjectKey, T> objects, Map<String, Index<T>> indices) {}

    /** One index: value to key to object. */
    private static final class Index<T> {
        final String name;
        final Function<T, Collection<String>> values;
        final ConcurrentHashMap<String, ConcurrentHashMap<ObjectKey, T>> files = new ConcurrentHashMap<>();

        Index(String name, Function<T, Collection<String>> values) {
            this.name = name;
            this.values = values;
        }

        Collection<String> valuesOf(ObjectKey key, T object) {
            try {
                return values.apply(object);
            } catch (RuntimeException e) {
                log.error("index {} failed on {}: the object is left out of it", name, key, e);
                return List.of();
            }
        }

        void file(ObjectKey key, T object, Collection<String> under) {
            for (String value : under) {
                files.computeIfAbsent(value, v -> new ConcurrentHashMap<>(4)).put(key, object);
            }
        }

        void unfile(ObjectKey key, Collection<String> under) {
            for (String value : under) {
                ConcurrentHashMap<ObjectKey, T> file = files.get(value);
                if (file != null) {
                    file.remove(key);
                    if (file.isEmpty()) {
                        files.remove(value);
                    }
                }
            }
        }

        Index<T> empty() {
            return new Index<>(name, values);
        }
    }

    ThreadSafeStore(Map<String, Function<T, Collection<String>>> indices) {
        Map<String, Index<T>> made = new HashMap<>();
        indices.forEach((name, values) -> made.put(name, new Index<>(name, values)));
        this.state = new State<>(new ConcurrentHashMap<>(), Map.copyOf(made));
    }

    /** Stores an object. @return what was there before, or null */
    @Nullable
    T put(ObjectKey key, T object) {
        synchronized (writing) {
            State<T> now = state;
            T before = now.objects.get(key);
            List<Collection<String>> olds = new ArrayList<>(now.indices.size());
            List<Collection<String>> news = new ArrayList<>(now.indices.size());
            for (Index<T> index : now.indices.values()) {
                olds.add(before == null ? List.of() : index.valuesOf(key, before));
                news.add(index.valuesOf(key, object));
            }
            long stamp = lock.writeLock();
            try {
                now.objects.put(key, object);
                int i = 0;
                for (Index<T> index : now.indices.values()) {
                    if (!olds.get(i).equals(news.get(i))) {
                        index.unfile(key, olds.get(i));
                    }
                    index.file(key, object, news.get(i++));
                }
            } finally {
                lock.unlockWrite(stamp);
            }
            return before;
        }
    }

    /** Removes an object. @return what was there, or null */
    @Nullable
    T remove(ObjectKey key) {
        synchronized (writing) {
            State<T> now = state;
            T before = now.objects.get(key);
            if (before == null) {
                return null;
            }
            List<Collection<String>> olds = new ArrayList<>(now.indices.size());
            for (Index<T> index : now.indices.values()) {
                olds.add(index.valuesOf(key, before));
            }
            long stamp = lock.writeLock();
            try {
                now.objects.remove(key);
                int i = 0;
                for (Index<T> index : now.indices.values()) {
                    index.unfile(key, olds.get(i++));
                }
            } finally {
                lock.unlockWrite(stamp);
            }
            return before;
        }
    }

    /** Swaps the whole content in one step. @return the content before, which nobody writes any more */
    Map<ObjectKey, T> replace(Map<ObjectKey, T> objects) {
        synchronized (writing) {
            State<T> before = state;
            ConcurrentHashMap<ObjectKey, T> next = new ConcurrentHashMap<>(Math.max(16, objects.size() * 3 / 2));
            next.putAll(objects);
            Map<String, Index<T>> indices = new HashMap<>();
            before.indices.forEach((name, index) -> indices.put(name, filled(index.empty(), next)));
            swap(new State<>(next, Map.copyOf(indices)));
            return before.objects;
        }
    }

    private void swap(State<T> next) {
        long stamp = lock.writeLock();
        try {
            state = next;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private static <T> Index<T> filled(Index<T> index, Map<ObjectKey, T> objects) {
        objects.forEach((key, object) -> index.file(key, object, index.valuesOf(key, object)));
        return index;
    }

    @Override
    public @Nullable T get(ObjectKey key) {
        return state.objects.get(key);
    }

    @Override
    public List<T> list() {
        return read(() -> new ArrayList<>(state.objects.values()));
    }

    @Override
    public List<T> list(String namespace) {
        return namespace.isEmpty() ? list() : byIndex(NAMESPACE_INDEX, namespace);
    }

    @Override
    public List<T> byIndex(String index, String value) {
        return read(() -> {
            ConcurrentHashMap<ObjectKey, T> file = index(index).files.get(value);
            return file == null ? List.of() : new ArrayList<>(file.values());
        });
    }

    @Override
    public Set<String> indexValues(String index) {
        return read(() -> Set.copyOf(index(index).files.keySet()));
    }

    private Index<T> index(String name) {
        Index<T> index = state.indices.get(name);
        if (index == null) {
            throw new IllegalArgumentException(
                    "there is no index \"" + name + "\": there are " + state.indices.keySet() + "; add it by addIndex");
        }
        return index;
    }

    private <R> R read(Supplier<R> reading) {
        for (int i = 0; i < OPTIMISTIC_READS; i++) {
            long stamp = lock.tryOptimisticRead();
            if (stamp != 0) {
                R answer = reading.get();
                if (lock.validate(stamp)) {
                    return answer;
                }
            }
        }
        long stamp = lock.readLock();
        try {
            return reading.get();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    @Override
    public void addIndex(String name, Function<T, Collection<String>> values) {
        synchronized (writing) {
            State<T> now = state;
            if (now.indices.containsKey(name)) {
                throw new IllegalArgumentException("there is an index \"" + name + "\" already");
            }
            Map<String, Index<T>> indices = new HashMap<>(now.indices);
            indices.put(name, filled(new Index<>(name, values), now.objects));
            swap(new State<>(now.objects, Map.copyOf(indices)));
        }
    }

    @Override
    public int size() {
        return state.objects.size();
    }
}
