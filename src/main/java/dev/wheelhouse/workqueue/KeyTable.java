package dev.wheelhouse.workqueue;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A hash table from keys to entries. The entries themselves are the links of its chains: adding a key allocates one
 * object, and removing an entry compares no keys. Guarded by the queue's lock.
 */
final class KeyTable<K> {
    private static final int FIRST_SIZE = 64;

    private @Nullable KeyState<K>[] chains = newChains(FIRST_SIZE);
    private int size;

    @SuppressWarnings("unchecked")
    private static <K> @Nullable KeyState<K>[] newChains(int length) {
        return new KeyState[length];
    }

    /** Mixes the high bits of a hash code into its low bits, because the table uses only the low ones. */
    static int hash(Object key) {
        int h = key.hashCode();
        return h ^ h >>> 16;
    }

    @Nullable
    KeyState<K> get(K key) {
        return find(key, hash(key));
    }

    private @Nullable KeyState<K> find(K key, int hash) {
        for (KeyState<K> entry = chains[hash & chains.length - 1]; entry != null; entry = entry.chained) {
            if (entry.hash == hash && (entry.key == key || entry.key.equals(key))) {
                return entry;
            }
        }
        return null;
    }

    /** @param hash the result of {@link #hash} for the key */
    KeyState<K> getOrAdd(K key, int hash) {
        KeyState<K> known = find(key, hash);
        if (known != null) {
            return known;
        }
        if (size >= chains.length / 2) {
            resize(chains.length * 2);
        }
        int place = hash & chains.length - 1;
        KeyState<K> added = new KeyState<>(key, hash);
        added.chained = chains[place];
        chains[place] = added;
        size++;
        return added;
    }

    void remove(KeyState<K> entry) {
        int place = entry.hash & chains.length - 1;
        KeyState<K> before = null;
        for (KeyState<K> at = chains[place]; at != null; at = at.chained) {
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

    private void resize(int length) {
        @Nullable
        KeyState<K>[] larger = newChains(length);
        for (KeyState<K> chain : chains) {
            KeyState<K> entry = chain;
            while (entry != null) {
                KeyState<K> following = entry.chained;
                int place = entry.hash & length - 1;
                entry.chained = larger[place];
                larger[place] = entry;
                entry = following;
            }
        }
        chains = larger;
    }

    int size() {
        return size;
    }

    /** Calls {@code action} for each entry. The action must not change the table. */
    void forEach(Consumer<? super KeyState<K>> action) {
        for (KeyState<K> chain : chains) {
            for (KeyState<K> entry = chain; entry != null; entry = entry.chained) {
                action.accept(entry);
            }
        }
    }
}
