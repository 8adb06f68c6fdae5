package dev.wheelhouse.client;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * What the values of one field were decoded to, by their bytes: objects of one template are nearly the same, so most values have
 * been seen before and are neither decoded nor kept again. A value is kept when its bytes come for the second time; a field whose
 * values do not repeat is left alone for a while. What comes out is shared between objects: whoever changes an object copies it
 * first. Thread safe: a race loses an entry, never its truth.
 *
 * <p>Bounded in entries a field, in bytes of one value, and in bytes of all fields together: when those are used up, everything is
 * forgotten and learned anew.
 */
final class SharedValues {
    /** Longer values are not looked up. */
    static final int LARGEST_VALUE = 2048;

    private static final int FIRST_ENTRIES = 32;
    private static final int MOST_ENTRIES = 2048;
    private static final int MOST_TAGS = 4096;
    private static final long MOST_BYTES = 16L << 20;
    private static final int BYTES_OF_AN_ENTRY = 56;
    private static final int TRIALS = 512;
    private static final int FIRST_PAUSE = 1024;
    private static final int LONGEST_PAUSE = 16 * 1024;

    private static final AtomicLong BYTES = new AtomicLong();
    private static final List<SharedValues> ALL = new CopyOnWriteArrayList<>();

    /** A value that repeats. */
    static final class Entry {
        final SharedValues field;
        final Object value;
        private final int hash;
        private final byte[] bytes;
        /** What followed it in the last object that {@link Recall} knew by it. */
        volatile Entry @Nullable [] followers;
        /** How many objects were known by it. */
        int uses;

        private Entry(SharedValues field, int hash, byte[] bytes, Object value) {
            this.field = field;
            this.hash = hash;
            this.bytes = bytes;
            this.value = value;
        }

        int length() {
            return bytes.length;
        }

        /** Whether just these bytes are at a place. As a string, list or object shows its own end, that is where it ends. */
        boolean isAt(byte[] json, int from, int end) {
            int to = from + bytes.length;
            return to <= end && Arrays.equals(bytes, 0, bytes.length, json, from, to);
        }
    }

    private static final class Table {
        @Nullable
        Entry[] entries = new Entry[FIRST_ENTRIES];
        /** A part of the hash of what was seen, perhaps for the first time. */
        char[] tags = new char[FIRST_ENTRIES * 8];
        int replaced;
        int overwritten;
    }

    private volatile Table table = new Table();
    private int tried;
    private int repeated;
    private int pause;
    private int nextPause = FIRST_PAUSE;

    SharedValues() {
        ALL.add(this);
    }

    /** Bytes that all fields' values hold, for tests. */
    static long bytes() {
        return BYTES.get();
    }

    /** Whether it is worth asking. */
    boolean isOpen() {
        if (pause > 0) {
            pause--;
            return false;
        }
        if (++tried > TRIALS) {
            if (repeated < TRIALS / 3) {
                pause = nextPause;
                nextPause = Math.min(2 * nextPause, LONGEST_PAUSE);
            } else {
                nextPause = FIRST_PAUSE;
            }
            tried = 0;
            repeated = 0;
        }
        return true;
    }

    /** The entry of such bytes, or null. */
    @Nullable
    Entry get(byte[] json, int from, int to, int hash) {
        Entry[] entries = table.entries;
        Entry entry = entries[hash & entries.length - 1];
        if (entry != null && entry.hash == hash && entry.bytes.length == to - from && entry.isAt(json, from, to)) {
            repeated++;
            return entry;
        }
        return null;
    }

    /** Notes a value that {@link #get} did not find. */
    void put(byte[] json, int from, int to, int hash, Object value) {
        Table known = table;
        if (isNews(known, hash)) {
            return;
        }
        repeated++;
        if (BYTES.addAndGet(to - from + BYTES_OF_AN_ENTRY) > MOST_BYTES) {
            forgetAll();
            return;
        }
        Entry[] entries = known.entries;
        int place = hash & entries.length - 1;
        if (entries[place] != null && ++known.replaced > entries.length / 4 && entries.length < MOST_ENTRIES) {
            entries = grown(entries);
            known.entries = entries;
            known.replaced = 0;
            place = hash & entries.length - 1;
        }
        entries[place] = new Entry(this, hash, Arrays.copyOfRange(json, from, to), value);
    }

    private static boolean isNews(Table table, int hash) {
        char[] tags = table.tags;
        int place = hash & tags.length - 1;
        char tag = (char) (hash >>> 16 | 1);
        if (tags[place] == tag) {
            return false;
        }
        if (tags[place] != 0 && ++table.overwritten > tags.length / 2 && tags.length < MOST_TAGS) {
            table.tags = new char[tags.length * 4];
            table.overwritten = 0;
            tags = table.tags;
            place = hash & tags.length - 1;
        }
        tags[place] = tag;
        return true;
    }

    private static void forgetAll() {
        ALL.forEach(values -> values.table = new Table());
        BYTES.set(0);
    }

    private static @Nullable Entry[] grown(@Nullable Entry[] entries) {
        Entry[] larger = new Entry[entries.length * 4];
        for (Entry entry : entries) {
            if (entry != null) {
                larger[entry.hash & larger.length - 1] = entry;
            }
        }
        return larger;
    }
}
