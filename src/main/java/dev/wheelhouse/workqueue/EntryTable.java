package dev.wheelhouse.workqueue;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A hash table from keys to entries. The entries themselves are the links of its chains: adding a key allocates one
 * object, and removing an entry compares no keys. Guarded by the queue's lock.
 */
final class EntryTable<K> {
    private static final int FIRST_SIZE = 64;

    private @Nullable Entry<K>[] chains = newChains(FIRST_SIZE);
    private int size;

    @SuppressWarnings("unchecked")
    private static <K> @Nullable Entry<K>[] newChains(int length) {
        return new Entry[length];
    }

    /** Mixes the high bits of a hash code into its low bits, because the table uses only the low ones. */
    static int hash(Object key) {
        int h = key.hashCode();
        return h ^ h >>> 16;
    }

    @Nullable
    Entry<K> get(K key) {
        int hash = hash(key);
        for (Entry<K> entry = chains[hash & chains.length - 1]; entry != null; entry = entry.chained) {
            if (entry.hash == hash && (entry.key == key || entry.key.equals(key))) {
                return entry;
            }
        }
        return null;
    }

    /** @param hash the result of {@link #hash} for the key */
    Entry<K> getOrAdd(K key, int hash) {
        @Nullable
        Entry<K>[] table = chains;
        int place = hash & table.length - 1;
        for (Entry<K> entry = table[place]; entry != null; entry = entry.chained) {
            if (entry.hash == hash && (entry.key == key || entry.key.equals(key))) {
                return entry;
            }
        }
        if (size >= table.length / 2) {
            table = resized(table.length * 2);
            place = hash & table.length - 1;
        }
        Entry<K> added = new Entry<>(key, hash);
        added.chained = table[place];
        table[place] = added;
        size++;
        return added;
    }

    void remove(Entry<K> entry) {
        int place = entry.hash & chains.length - 1;
        Entry<K> before = null;
        for (Entry<K> at = chains[place]; at != null; at = at.chained) {
            if (at == entry) {
                if (before == null) {
                    chains[place] = at.chained;
                } else {
                    before.chained = at.chained;
                }
                at.chained = null;
                if (--size == 0 && chains.length > FIRST_SIZE) {
                    chains = newChains(FIRST_SIZE);
                }
                return;
            }
            before = at;
        }
    }

    private @Nullable Entry<K>[] resized(int length) {
        @Nullable
        Entry<K>[] larger = newChains(length);
        for (Entry<K> chain : chains) {
            Entry<K> entry = chain;
            while (entry != null) {
                Entry<K> following = entry.chained;
                int place = entry.hash & length - 1;
                entry.chained = larger[place];
                larger[place] = entry;
                entry = following;
            }
        }
        chains = larger;
        return larger;
    }

    int size() {
        return size;
    }

    /** Calls {@code action} for each entry. The action must not change the table. */
    void forEach(Consumer<? super Entry<K>> action) {
        for (Entry<K> chain : chains) {
            for (Entry<K> entry = chain; entry != null; entry = entry.chained) {
                action.accept(entry);
            }
        }
    }
}
