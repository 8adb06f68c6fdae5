package dev.wheelhouse.client;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * What the values of one field were decoded to, by their bytes: objects of one template are nearly the same, so most values have
 * been seen before and are neither decoded nor kept again. Bounded in entries, in bytes of one value, and in bytes of all such
 * tables together; a field whose values do not repeat is left alone for a while. What comes out is shared between objects:
 * whoever changes an object copies it first. Thread safe: a race loses an entry, never its truth.
 */
final class SharedValues {
    private static final int LARGEST_VALUE = 2048;
    private static final int FIRST_ENTRIES = 32;
    private static final int MOST_ENTRIES = 2048;
    private static final long MOST_BYTES = 24L << 20;
    private static final int TRIALS = 512;
    private static final int PAUSE = 16 * 1024;

    private static final AtomicLong BYTES = new AtomicLong();

    private record Entry(int hash, byte[] bytes, Object value) {}

    private volatile @Nullable Entry[] entries = new Entry[FIRST_ENTRIES];
    private int tried;
    private int found;
    private int replaced;
    private int pause;

    /** Bytes of all tables' values, for tests. */
    static long bytes() {
        return BYTES.get();
    }

    /** Whether it is worth asking. */
    boolean isOpen() {
        if (pause > 0) {
            pause--;
            return false;
        }
        return true;
    }

    /** The value of such bytes, or null. */
    @Nullable
    Object get(byte[] bytes, int from, int to, int hash) {
        Entry[] table = entries;
        Entry entry = table[hash & table.length - 1];
        if (++tried >= TRIALS) {
            if (found < tried / 3) {
                pause = PAUSE;
            }
            tried = 0;
            found = 0;
        }
        if (entry != null && entry.hash == hash
                && Arrays.equals(entry.bytes, 0, entry.bytes.length, bytes, from, to)) {
            found++;
            return entry.value;
        }
        return null;
    }

    void put(byte[] bytes, int from, int to, int hash, Object value) {
        if (to - from > LARGEST_VALUE || BYTES.get() > MOST_BYTES) {
            return;
        }
        Entry[] table = entries;
        int place = hash & table.length - 1;
        Entry old = table[place];
        if (old != null && ++replaced > table.length / 4 && table.length < MOST_ENTRIES) {
            table = grown(table);
            place = hash & table.length - 1;
            old = table[place];
            replaced = 0;
        }
        table[place] = new Entry(hash, Arrays.copyOfRange(bytes, from, to), value);
        BYTES.addAndGet(to - from - (old == null ? 0 : old.bytes.length));
    }

    private Entry[] grown(Entry[] table) {
        Entry[] larger = new Entry[table.length * 4];
        for (Entry entry : table) {
            if (entry != null) {
                larger[entry.hash & larger.length - 1] = entry;
            }
        }
        entries = larger;
        return larger;
    }
}
