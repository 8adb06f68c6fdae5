package dev.wheelhouse.apiserver.json;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * The fields of an object of JSON, in the order in which they were first set. Objects of Kubernetes have few fields, so
 * names and values are in one array, which is searched from its beginning: it takes a third of the memory of a
 * {@link LinkedHashMap}. An object with more than {@value #FEW} fields has a hash map, so that no client can make a
 * search long. An entry of an iterator is valid until the next one; streams and arrays have entries to keep. For one
 * thread; not to be changed during an iteration, except by the iterator.
 */
final class FieldMap extends AbstractMap<String, JsonNode> {
    private static final int FEW = 16;
    private static final int FIRST = 4;
    private static final Object[] NONE = {};

    /** Names at even indices, each before its value. */
    private Object[] slots;
    /** How many slots are in use. */
    private int used;
    /** All fields, if there are more than a few; the array is empty then. */
    private @Nullable Map<String, JsonNode> many;

    /** @param size the number of fields that are expected */
    FieldMap(int size) {
        slots = size == 0 || size > FEW ? NONE : new Object[2 * size];
        many = size > FEW ? LinkedHashMap.newLinkedHashMap(size) : null;
    }

    private int find(@Nullable Object name) {
        if (!(name instanceof String text)) {
            return -1;
        }
        Object[] here = slots;
        int hash = text.hashCode();
        for (int i = 0; i < used; i += 2) {
            String other = (String) here[i];
            if (other.hashCode() == hash && other.equals(text)) {
                return i;
            }
        }
        return -1;
    }

    private JsonNode value(int at) {
        return (JsonNode) slots[at + 1];
    }

    @Override
    public @Nullable JsonNode get(@Nullable Object name) {
        if (many != null) {
            return many.get(name);
        }
        int at = find(name);
        return at < 0 ? null : value(at);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return many != null ? many.containsKey(name) : find(name) >= 0;
    }

    @Override
    public @Nullable JsonNode put(String name, JsonNode value) {
        if (many != null) {
            return many.put(name, value);
        }
        int at = find(name);
        if (at >= 0) {
            JsonNode before = value(at);
            slots[at + 1] = value;
            return before;
        }
        if (used == 2 * FEW) {
            Map<String, JsonNode> all = LinkedHashMap.newLinkedHashMap(2 * FEW);
            forEach(all::put);
            many = all;
            slots = NONE;
            used = 0;
            return all.put(name, value);
        }
        if (used == slots.length) {
            slots = Arrays.copyOf(slots, used == 0 ? 2 * FIRST : Math.min(2 * FEW, 2 * used));
        }
        slots[used] = Objects.requireNonNull(name);
        slots[used + 1] = value;
        used += 2;
        return null;
    }

    @Override
    public @Nullable JsonNode remove(@Nullable Object name) {
        if (many != null) {
            return many.remove(name);
        }
        int at = find(name);
        if (at < 0) {
            return null;
        }
        JsonNode before = value(at);
        removeAt(at);
        return before;
    }

    private void removeAt(int at) {
        System.arraycopy(slots, at + 2, slots, at, used - at - 2);
        used -= 2;
        slots[used] = null;
        slots[used + 1] = null;
    }

    @Override
    public void clear() {
        slots = NONE;
        used = 0;
        many = null;
    }

    @Override
    public int size() {
        return many != null ? many.size() : used / 2;
    }

    @Override
    public boolean isEmpty() {
        return size() == 0;
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super JsonNode> action) {
        if (many != null) {
            many.forEach(action);
            return;
        }
        for (int i = 0; i < used; i += 2) {
            action.accept((String) slots[i], value(i));
        }
    }

    @Override
    public Set<Map.Entry<String, JsonNode>> entrySet() {
        return many != null ? many.entrySet() : new Entries();
    }

    private final class Entries extends AbstractSet<Map.Entry<String, JsonNode>> {
        @Override
        public Iterator<Map.Entry<String, JsonNode>> iterator() {
            return many != null ? many.entrySet().iterator() : new EntryIterator(0);
        }

        @Override
        public int size() {
            return FieldMap.this.size();
        }

        @Override
        public Spliterator<Map.Entry<String, JsonNode>> spliterator() {
            return kept().spliterator();
        }

        @Override
        public Object[] toArray() {
            return kept().toArray();
        }

        @Override
        public <T> T[] toArray(T[] into) {
            return kept().toArray(into);
        }

        /** Entries that can be kept. */
        private List<Map.Entry<String, JsonNode>> kept() {
            List<Map.Entry<String, JsonNode>> all = new ArrayList<>(size());
            if (many != null) {
                all.addAll(many.entrySet());
            }
            for (int i = 0; i < used; i += 2) {
                all.add(new EntryIterator(i + 2));
            }
            return all;
        }
    }

    /** Iterates without an object for each field: it is itself the entry that it returned last. */
    private final class EntryIterator implements Iterator<Map.Entry<String, JsonNode>>, Map.Entry<String, JsonNode> {
        private int next;

        /** @param next the index after the field that this is the entry of */
        EntryIterator(int next) {
            this.next = next;
        }

        @Override
        public boolean hasNext() {
            return next < used;
        }

        @Override
        public Map.Entry<String, JsonNode> next() {
            if (next >= used) {
                throw new NoSuchElementException();
            }
            next += 2;
            return this;
        }

        @Override
        public void remove() {
            next -= 2;
            removeAt(next);
        }

        @Override
        public String getKey() {
            return (String) slots[next - 2];
        }

        @Override
        public JsonNode getValue() {
            return value(next - 2);
        }

        @Override
        public JsonNode setValue(JsonNode value) {
            JsonNode before = value(next - 2);
            slots[next - 1] = value;
            return before;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Map.Entry<?, ?> entry && getKey().equals(entry.getKey())
                    && getValue().equals(entry.getValue());
        }

        @Override
        public int hashCode() {
            return getKey().hashCode() ^ getValue().hashCode();
        }

        @Override
        public String toString() {
            return getKey() + "=" + getValue();
        }
    }
}
