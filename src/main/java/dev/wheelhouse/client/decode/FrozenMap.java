package dev.wheelhouse.client.decode;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** A small immutable map of a cached object, in one array, in the order of its JSON. A lookup compares key by key. */
final class FrozenMap extends AbstractMap<String, Object> {
    /** Larger maps are hash tables. */
    private static final int MOST_ENTRIES = 12;

    static final FrozenMap EMPTY = new FrozenMap(new Object[0]);

    private final Object[] pairs;

    private FrozenMap(Object[] pairs) {
        this.pairs = pairs;
    }

    /** @param pairs name, value, name, value, …, up to a size; of equal names, the last one counts */
    static Map<?, ?> of(Object[] pairs, int size) {
        if (size <= 2 * MOST_ENTRIES && isDistinct(pairs, size)) {
            return size == 0 ? EMPTY : new FrozenMap(Arrays.copyOf(pairs, size));
        }
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < size; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return Collections.unmodifiableMap(map);
    }

    private static boolean isDistinct(Object[] pairs, int size) {
        for (int i = 2; i < size; i += 2) {
            for (int j = 0; j < i; j += 2) {
                if (pairs[i].equals(pairs[j])) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public int size() {
        return pairs.length / 2;
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i].equals(key)) {
                return pairs[i + 1];
            }
        }
        return null;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return get(key) != null;
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
        return new Entries(pairs);
    }

    private static final class Entries extends AbstractSet<Map.Entry<String, Object>> {
        private final Object[] pairs;

        Entries(Object[] pairs) {
            this.pairs = pairs;
        }

        @Override
        public int size() {
            return pairs.length / 2;
        }

        @Override
        public Iterator<Map.Entry<String, Object>> iterator() {
            return new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < pairs.length;
                }

                @Override
                public Map.Entry<String, Object> next() {
                    if (next >= pairs.length) {
                        throw new NoSuchElementException();
                    }
                    next += 2;
                    return new SimpleImmutableEntry<>((String) pairs[next - 2], pairs[next - 1]);
                }
            };
        }
    }
}
