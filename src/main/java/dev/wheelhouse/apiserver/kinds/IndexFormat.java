package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.StringNode;

/**
 * The format of completion indexes, such as {@code 1,3-5,7} (upstream: {@code validateIndexesFormat} in
 * {@code pkg/apis/batch/validation/validation.go}). Methods throw {@link IllegalArgumentException} with upstream's
 * words for a text that breaks the format.
 */
final class IndexFormat {
    /** The longest text in a rule of a success policy. */
    static final int LONGEST_RULE = 64 * 1024;

    private record Interval(long first, long last) {}

    private IndexFormat() {}

    /** The number of indexes, which must increase and be below {@code completions}. */
    static long total(String text, long completions) {
        long total = 0;
        long before = -1;
        for (String part : split(text)) {
            Interval interval = interval(part, completions);
            if (before >= interval.first) {
                throw new IllegalArgumentException(
                        "non-increasing order, previous: " + before + ", current: " + interval.first);
            }
            total += interval.last - interval.first + 1;
            before = interval.last;
        }
        return total;
    }

    /** Refuses completed and failed indexes that have one in common. Malformed intervals are passed over. */
    static void disjoint(String completed, String failed, long completions) {
        String[] ofCompleted = split(completed);
        String[] ofFailed = split(failed);
        int c = 0;
        int f = 0;
        while (c < ofCompleted.length && f < ofFailed.length) {
            Interval a = intervalOrNone(ofCompleted[c], completions);
            Interval b = intervalOrNone(ofFailed[f], completions);
            if (a == null) {
                c++;
            } else if (b == null) {
                f++;
            } else if (a.first <= b.last && b.first <= a.last) {
                throw new IllegalArgumentException("failedIndexes and completedIndexes overlap at index: "
                        + Math.max(a.first, b.first));
            } else if (a.first <= b.first) {
                c++;
            } else {
                f++;
            }
        }
    }

    private static String[] split(String text) {
        return text.isEmpty() ? new String[0] : text.split(",", -1);
    }

    private static @Nullable Interval intervalOrNone(String text, long completions) {
        try {
            return interval(text, completions);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Interval interval(String text, long completions) {
        String[] limits = text.split("-", -1);
        if (limits.length > 2) {
            throw new IllegalArgumentException("the fragment " + StringNode.valueOf(text) + " violates the requirement "
                    + "that an index interval can have at most two parts separated by '-'");
        }
        long first = index(limits[0], completions);
        long last = limits.length == 1 ? first : index(limits[1], completions);
        if (limits.length == 2 && first >= last) {
            throw new IllegalArgumentException(
                    "non-increasing order, previous: " + first + ", current: " + last);
        }
        return new Interval(first, last);
    }

    private static long index(String text, long completions) {
        long index;
        try {
            index = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "cannot convert string to integer for index: " + StringNode.valueOf(text), e);
        }
        if (index >= completions) {
            throw new IllegalArgumentException("too large index: " + StringNode.valueOf(text));
        }
        return index;
    }
}
