package dev.wheelhouse.client.decode;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** A small immutable map of a cached object, in one array, in the order of its JSON. A lookup compares key by key. */
final class FrozenMap extends AbstractMap<String, Object> {
    /** Larger maps are hash tables. */
    static final int MOST_ENTRIES = 12;

    static final FrozenMap EMPTY = new FrozenMap(new Object[0]);

    private final Object[] pairs;

    /** @param pairs name, value, name, value, …; no name occurs twice */
    FrozenMap(Object[] pairs) {
        this.pairs = pairs;
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
