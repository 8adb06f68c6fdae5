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
 * The store behind an informer (upstream: client-go {@code tools/cache/thread_safe_store.go}). Writers exclude each
 * other. A read of one object takes no lock. A read of several objects is optimistic and sees the store at one moment:
 * a change, or a whole {@link #replace}, is visible in the objects and in all indices, or in none.
 */
final class ThreadSafeStore<T> implements Indexer<T> {
    private static final Logger log = LoggerFactory.getLogger(ThreadSafeStore.class);
    private static final int OPTIMISTIC_READS = 3;

    /** Held during a whole write, including the index functions. */
    private final Object writing = new Object();
    /** Held for writing only while the state changes, which takes a few map operations. */
    private final StampedLock lock = new StampedLock();
    private volatile State<T> state;
    /** The number of users of each index. Guarded by {@code writing}. */
    private final Map<String, Integer> indexUsers = new HashMap<>();

    private record State<T>(ConcurrentHashMap<ObjectKey, T> objects, Map<String, Index<T>> indices) {}

    /** One index: from value to key to object. */
    private static final class Index<T> {
        final String name;
        final Function<T, Collection<String>> values;
        private volatile boolean saidThatItFails;
        final ConcurrentHashMap<String, ConcurrentHashMap<ObjectKey, T>> byValue = new ConcurrentHashMap<>();

        Index(String name, Function<T, Collection<String>> values) {
            this.name = name;
            this.values = values;
        }

        /** The values of one object; none if the function returns null or fails. */
        Collection<String> valuesOf(ObjectKey key, T object) {
            try {
                Collection<String> found = values.apply(object);
                // The copy has no null values and cannot change.
                return found == null ? List.of() : List.copyOf(found);
            } catch (Throwable e) {
                if (saidThatItFails) {
                    log.debug("the function of the index {} failed on {}, too", name, key, e);
                } else {
                    saidThatItFails = true;
                    log.error(
                            "the function of the index {} failed on {}: the index leaves this object out, and further "
                                    + "ones on which the function fails",
                            name, key, e);
                }
                return List.of();
            }
        }

        void add(ObjectKey key, T object, Collection<String> under) {
            for (String value : under) {
                byValue.computeIfAbsent(value, v -> new ConcurrentHashMap<>(4)).put(key, object);
            }
        }

        void remove(ObjectKey key, Collection<String> under) {
            for (String value : under) {
                ConcurrentHashMap<ObjectKey, T> bucket = byValue.get(value);
                if (bucket != null) {
                    bucket.remove(key);
                    if (bucket.isEmpty()) {
                        byValue.remove(value);
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
        indices.forEach((name, values) -> {
            made.put(name, new Index<>(name, values));
            indexUsers.put(name, 1);
        });
        this.state = new State<>(new ConcurrentHashMap<>(), Map.copyOf(made));
    }

    /**
     * Stores an object.
     * @return the object that it replaces, or null
     */
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
                        index.remove(key, olds.get(i));
                    }
                    index.add(key, object, news.get(i++));
                }
            } finally {
                lock.unlockWrite(stamp);
            }
            return before;
        }
    }

    /**
     * Removes an object.
     * @return the removed object, or null
     */
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
                    index.remove(key, olds.get(i++));
                }
            } finally {
                lock.unlockWrite(stamp);
            }
            return before;
        }
    }

    /**
     * Replaces the whole content in one step.
     * @return the old content, which is not changed any more
     */
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
        objects.forEach((key, object) -> index.add(key, object, index.valuesOf(key, object)));
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
            ConcurrentHashMap<ObjectKey, T> bucket = index(index).byValue.get(value);
            return bucket == null ? List.of() : new ArrayList<>(bucket.values());
        });
    }

    @Override
    public Set<String> indexValues(String index) {
        return read(() -> Set.copyOf(index(index).byValue.keySet()));
    }

    private Index<T> index(String name) {
        Index<T> index = state.indices.get(name);
        if (index == null) {
            throw new IllegalArgumentException(
                    "there is no index \"" + name + "\", only " + state.indices.keySet() + ": add it with addIndex");
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
            Index<T> same = now.indices.get(name);
            if (same != null && same.values != values) {
                throw new IllegalArgumentException("there is an index \"" + name + "\" already");
            }
            indexUsers.merge(name, 1, Integer::sum);
            if (same != null) {
                return;
            }
            Map<String, Index<T>> indices = new HashMap<>(now.indices);
            indices.put(name, filled(new Index<>(name, values), now.objects));
            swap(new State<>(now.objects, Map.copyOf(indices)));
        }
    }

    @Override
    public void removeIndex(String name) {
        synchronized (writing) {
            if (indexUsers.computeIfPresent(name, (n, users) -> users == 1 ? null : users - 1) != null) {
                return;
            }
            Map<String, Index<T>> indices = new HashMap<>(state.indices);
            indices.remove(name);
            swap(new State<>(state.objects, Map.copyOf(indices)));
        }
    }

    @Override
    public int size() {
        return state.objects.size();
    }
}
