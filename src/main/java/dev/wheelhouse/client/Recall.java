package dev.wheelhouse.client;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.SharedValues.Entry;

/**
 * Guesses, while one object is read, which known value comes next: the one that came there in the last object of the same
 * template. The first known list, map or part of an object, such as the labels, stands for the template. A guess that is right
 * costs one comparison of bytes, and neither the search for the value's end nor a hash; one that is wrong costs nothing but time.
 * Made for one object, not thread safe.
 */
final class Recall {
    private static final int SHORTEST_TEMPLATE = 24;
    /** So many values may be missing between two that are there. */
    private static final int LOOK_AHEAD = 4;
    private static final int MOST = 512;
    /** It learns anew from one in so many objects, and more often at first. */
    private static final int NOW_AND_THEN = 64;
    private static final Entry[] NONE = {};

    private @Nullable Entry template;
    private @Nullable Entry[] expected = NONE;
    private int next;
    /** What was found, once that is not what was expected; while it learns. */
    private @Nullable Entry @Nullable [] found;
    private int count;
    private boolean learning;

    /** The expected value of a field, if its bytes are there. */
    @Nullable
    Entry guess(SharedValues field, byte[] json, int at, int end) {
        @Nullable
        Entry[] candidates = expected;
        int first = next;
        int stop = Math.min(first + LOOK_AHEAD, candidates.length);
        for (int i = first; i < stop; i++) {
            Entry candidate = candidates[i];
            if (candidate != null && candidate.field == field) {
                boolean right = candidate.isAt(json, at, end);
                if (i > first || !right) {
                    deviate();
                }
                if (right) {
                    next = i + 1;
                    append(candidate);
                    return candidate;
                }
                if (i == first) {
                    next = i + 1;
                }
                return null;
            }
        }
        return null;
    }

    /** A value that was found otherwise. */
    void found(Entry entry, boolean isText) {
        if (template != null) {
            deviate();
            append(entry);
        } else if (!isText && entry.length() >= SHORTEST_TEMPLATE) {
            template = entry;
            Entry[] followers = entry.followers;
            if (followers == null) {
                found = new Entry[64];
            } else {
                expected = followers;
                int uses = ++entry.uses;
                learning = (uses & uses - 1) == 0 || uses % NOW_AND_THEN == 0;
            }
        }
    }

    private void deviate() {
        if (found == null && learning) {
            found = Arrays.copyOf(expected, Math.max(64, expected.length + 8));
            count = next;
        }
    }

    private void append(Entry entry) {
        @Nullable
        Entry[] list = found;
        if (list == null || count == MOST) {
            return;
        }
        if (count == list.length) {
            list = Arrays.copyOf(list, 2 * count);
            found = list;
        }
        list[count++] = entry;
    }

    /** The object is read. */
    void end() {
        @Nullable
        Entry[] list = found;
        if (template != null && list != null) {
            template.followers = Arrays.copyOf(list, count);
        }
    }
}
