package dev.wheelhouse.client.decode;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Interns the values of one field: maps the bytes of a value to the object that they were decoded to. Objects of one
 * template are nearly the same, so most values have been seen before; they are neither decoded nor stored again. An
 * interner keeps a value when its bytes come for the second time. An interner whose values do not repeat pauses.
 *
 * <p>Bounded in entries, in bytes of one value, and by the {@link DecoderMemory}. Thread safe: a race loses an entry,
 * but an entry always holds the bytes of its value.
 */
final class Interner {
    /** Longer values are not interned. */
    static final int LARGEST_VALUE = 2048;

    private static final int FIRST_ENTRIES = 32;
    private static final int MOST_ENTRIES = 2048;
    private static final int MOST_TAGS = 4096;
    private static final int BYTES_OF_AN_ENTRY = 56;
    /** After so many lookups, the share of repeated values decides on a pause. */
    private static final int TRIALS = 512;
    /** The first and the longest pause, in values. */
    private static final int FIRST_PAUSE = 1024;
    private static final int LONGEST_PAUSE = 16 * 1024;

    /** One interned value. */
    static final class Entry {
        final Interner interner;
        final Object value;
        private final int hash;
        private final byte[] bytes;
        /** The entries that followed in the last object that a {@link Predictor} learned from; null before that. */
        private volatile Entry @Nullable [] followers;
        /** The number of objects whose template this entry was. */
        int uses;

        private Entry(Interner interner, int hash, byte[] bytes, Object value) {
            this.interner = interner;
            this.hash = hash;
            this.bytes = bytes;
            this.value = value;
        }

        int length() {
            return bytes.length;
        }

        /**
         * Whether the value at a place is the entry's. Strings, lists and objects of JSON mark their own end, so the
         * bytes after them have no meaning. A value of protobuf is all of the bytes up to the end.
         */
        boolean isAt(byte[] source, int from, int end) {
            int to = from + bytes.length;
            return (interner.delimited ? to == end : to <= end)
                    && Arrays.equals(bytes, 0, bytes.length, source, from, to);
        }

        Entry @Nullable [] followers() {
            return followers;
        }

        void setFollowers(Entry[] entries) {
            Entry[] before = followers;
            interner.memory.reserve((entries.length - (before == null ? 0 : before.length)) * Integer.BYTES);
            followers = entries;
        }
    }

    /** The remembered values; replaced as a whole when the interner forgets. */
    private static final class Table {
        @Nullable
        Entry[] entries = new Entry[FIRST_ENTRIES];
        /** The high bits of the hashes of values that came at least once, at places that the low bits choose. */
        char[] tags = new char[FIRST_ENTRIES * 8];
        int replaced;
        int overwritten;
    }

    private final DecoderMemory memory;
    /** Whether the values' ends are known before their bytes are compared, as those of protobuf are. */
    private final boolean delimited;
    private volatile Table table = new Table();
    private int tried;
    private int repeated;
    private int pause;
    private int nextPause = FIRST_PAUSE;

    Interner(DecoderMemory memory, boolean delimited) {
        this.memory = memory;
        this.delimited = delimited;
    }

    /** Counts the next value. @return whether it is to be looked up; false during a pause */
    boolean admitsNext() {
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

    /** @return the entry of these bytes, or null */
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

    /** Records a value that {@link #get} did not find. */
    void put(byte[] json, int from, int to, int hash, Object value) {
        Table known = table;
        if (isNew(known, hash)) {
            return;
        }
        repeated++;
        if (!memory.reserve(to - from + BYTES_OF_AN_ENTRY)) {
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

    private static boolean isNew(Table table, int hash) {
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

    /** Forgets every value. */
    void forget() {
        table = new Table();
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
