package dev.wheelhouse.journal;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.ManualClock;

/**
 * The last writes of all controllers, each with its cause. Each write has a record, and the writes of one sync share a
 * record of the sync. The oldest records are dropped when all together take more than a given number of bytes. Thread
 * safe.
 */
public final class Journal {
    /** The default bound: some 7,000 writes. */
    public static final long DEFAULT_BYTES = 4 << 20;

    /** A journal that keeps nothing. */
    public static final Journal NONE = new Journal(new ManualClock(), 0);

    /** The heap of an entry with a sync of its own, without the characters of its texts, in bytes. */
    private static final int FIXED_BYTES = 500;
    private static final int LONGEST_TEXT = 500;

    private final Clock clock;
    private final long mostBytes;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final Map<String, Long> writes = new TreeMap<>();
    private long bytes;
    private long last;

    /**
     * A sync that wrote.
     *
     * @param key the key in words
     * @param began the start of the sync
     */
    public record Sync(String controller, String key, Origin origin, Instant began) {}

    /**
     * One write.
     *
     * @param number counts the writes from 1
     * @param why the reason of the decision
     * @param sent the time of the request
     * @param nanos the nanoseconds until the answer
     * @param code the HTTP status; 0 if there was no answer
     * @param answer the new resource version after a success, else the error; may be empty
     */
    public record Entry(long number, Sync sync, String verb, ResourceType type, ObjectKey target, String why,
            Instant sent, long nanos, int code, String answer) {
        private int bytes() {
            return FIXED_BYTES + sync.key().length() + sync.origin().cause().length() + target.namespace().length()
                    + target.name().length() + why.length() + answer.length();
        }
    }

    /**
     * The state of the journal.
     *
     * @param last the number of the newest write; 0 before the first one
     * @param kept the number of writes that it keeps
     * @param writes the number of all writes by controller, also of those that it does not keep
     */
    public record State(long last, int kept, long bytes, Map<String, Long> writes) {}

    /** @param mostBytes the most bytes of all records together; 0 to keep none */
    public Journal(Clock clock, long mostBytes) {
        this.clock = clock;
        this.mostBytes = mostBytes;
    }

    /** The time of its clock, in nanoseconds, for the start of a write. */
    public long nanoTime() {
        return clock.nanoTime();
    }

    /** The time of its clock, for the start of a sync. */
    public Instant now() {
        return clock.now();
    }

    /**
     * Adds a write that was answered.
     *
     * @param sentNanos the {@link #nanoTime} of the request
     */
    public void add(Sync sync, String verb, ResourceType type, ObjectKey target, String why, long sentNanos, int code,
            String answer) {
        if (mostBytes == 0) {
            return;
        }
        long took = clock.nanoTime() - sentNanos;
        Instant sent = clock.now().minusNanos(took);
        String shownWhy = shortened(why);
        String shownAnswer = shortened(answer);
        synchronized (this) {
            Entry entry = new Entry(++last, sync, verb, type, target, shownWhy, sent, took, code, shownAnswer);
            entries.addLast(entry);
            bytes += entry.bytes();
            while (bytes > mostBytes) {
                bytes -= entries.removeFirst().bytes();
            }
            writes.merge(sync.controller(), 1L, Long::sum);
        }
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
    }

    /**
     * The newest writes that match, newest first.
     *
     * @param before only writes with a smaller number
     * @param limit the most writes to return
     */
    public List<Entry> find(Predicate<Entry> matches, long before, int limit) {
        List<Entry> kept;
        synchronized (this) {
            kept = new ArrayList<>(entries);
        }
        List<Entry> found = new ArrayList<>();
        for (Iterator<Entry> newest = kept.reversed().iterator(); newest.hasNext() && found.size() < limit;) {
            Entry entry = newest.next();
            if (entry.number() < before && matches.test(entry)) {
                found.add(entry);
            }
        }
        return found;
    }

    public synchronized State state() {
        return new State(last, entries.size(), bytes, new TreeMap<>(writes));
    }
}
