package dev.wheelhouse.client.decode;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.decode.Interner.Entry;

/**
 * Predicts, while one object is read, the next interned value: the one that came at this place in the last object of
 * the same template. The first interned list, map or model of an object, such as its labels, stands for the template. A
 * right prediction costs one comparison of bytes, and saves the search for the value's end and a hash. A wrong one
 * costs time only. Made for one object; not thread safe.
 */
final class Predictor {
    private static final int SHORTEST_TEMPLATE = 24;
    /**
     * The number of predictions that are tried for a value. An object may lack all values of these predictions but the
     * last.
     */
    private static final int LOOK_AHEAD = 4;
    private static final int MOST_FOLLOWERS = 512;
    /**
     * A template learns from an object again whenever the number of its objects is a power of two or a multiple of
     * this.
     */
    private static final int LEARNING_INTERVAL = 64;
    private static final Entry[] NONE = {};

    private @Nullable Entry template;
    private Entry[] predicted = NONE;
    private int next;
    /** The values read so far. Recorded only for a new template, or after a wrong prediction while learning. */
    private Entry @Nullable [] read;
    private int count;
    private boolean learning;

    /** The predicted value, if it is of this interner and its bytes are at this place; else null. */
    @Nullable
    Entry predict(Interner interner, byte[] json, int at, int end) {
        Entry[] candidates = predicted;
        int first = next;
        int stop = Math.min(first + LOOK_AHEAD, candidates.length);
        for (int i = first; i < stop; i++) {
            Entry candidate = candidates[i];
            if (candidate.interner == interner) {
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

    /** Records a value that was interned but not predicted. */
    void found(Entry entry, boolean isText) {
        if (template != null) {
            deviate();
            append(entry);
        } else if (!isText && entry.length() >= SHORTEST_TEMPLATE) {
            template = entry;
            Entry[] followers = entry.followers();
            if (followers == null) {
                read = new Entry[64];
            } else {
                predicted = followers;
                int uses = ++entry.uses;
                learning = (uses & uses - 1) == 0 || uses % LEARNING_INTERVAL == 0;
            }
        }
    }

    /** Records that the object differs from the prediction. */
    private void deviate() {
        if (read == null && learning) {
            read = Arrays.copyOf(predicted, Math.max(64, predicted.length + 8));
            count = next;
        }
    }

    private void append(Entry entry) {
        Entry[] list = read;
        if (list == null || count == MOST_FOLLOWERS) {
            return;
        }
        if (count == list.length) {
            list = Arrays.copyOf(list, 2 * count);
            read = list;
        }
        list[count++] = entry;
    }

    /** Ends the object, and remembers its values if it was learned from. */
    void end() {
        Entry[] list = read;
        if (template != null && list != null) {
            template.setFollowers(Arrays.copyOf(list, count));
        }
    }
}
