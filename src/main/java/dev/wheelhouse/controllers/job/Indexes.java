package dev.wheelhouse.controllers.job;

import java.util.Arrays;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * A set of completion indexes as ordered intervals, in the format of {@code status.completedIndexes}, such as
 * {@code 1,3-5,7} (upstream: {@code orderedIntervals} in {@code pkg/controller/job/indexed_job_utils.go}). Its size in
 * memory depends on the number of intervals only. Immutable.
 */
final class Indexes {
    static final Indexes NONE = new Indexes(new int[0]);

    /** The first and the last index of each interval, in turn; intervals neither overlap nor touch. */
    private final int[] bounds;

    private Indexes(int[] bounds) {
        this.bounds = bounds;
    }

    static Indexes of(Collection<Integer> indexes) {
        Builder builder = new Builder(indexes.size());
        indexes.stream().sorted().forEach(index -> builder.add(index, index));
        return builder.build();
    }

    /**
     * Reads the format. Malformed intervals are ignored.
     * @param completions indexes from this number on are left out
     */
    static Indexes parse(@Nullable String text, int completions) {
        if (text == null || text.isEmpty()) {
            return NONE;
        }
        String[] intervals = text.split(",", -1);
        Builder builder = new Builder(intervals.length);
        for (String interval : intervals) {
            String[] limits = interval.split("-", -1);
            int first = number(limits[0]);
            if (first >= completions) {
                break;
            }
            int last = limits.length > 1 ? number(limits[1]) : first;
            if (first >= 0 && last >= 0) {
                builder.add(first, Math.min(last, completions - 1));
            }
        }
        return builder.build();
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    Indexes with(Collection<Integer> indexes) {
        return indexes.isEmpty() ? this : with(of(indexes));
    }

    Indexes with(Indexes other) {
        Builder builder = new Builder((bounds.length + other.bounds.length) / 2);
        int i = 0;
        int j = 0;
        while (i < bounds.length || j < other.bounds.length) {
            if (j == other.bounds.length || (i < bounds.length && bounds[i] < other.bounds[j])) {
                builder.add(bounds[i], bounds[i + 1]);
                i += 2;
            } else {
                builder.add(other.bounds[j], other.bounds[j + 1]);
                j += 2;
            }
        }
        return builder.build();
    }

    boolean has(int index) {
        int at = Arrays.binarySearch(bounds, index);
        // Between the two bounds of an interval, the insertion point is odd.
        return at >= 0 || (-at - 1) % 2 == 1;
    }

    boolean isEmpty() {
        return bounds.length == 0;
    }

    /** The number of indexes. */
    int total() {
        int total = 0;
        for (int i = 0; i < bounds.length; i += 2) {
            total += bounds[i + 1] - bounds[i] + 1;
        }
        return total;
    }

    /** The number of indexes that are in both sets. */
    int common(Indexes other) {
        int common = 0;
        int i = 0;
        int j = 0;
        while (i < bounds.length && j < other.bounds.length) {
            common += Math.max(0,
                    Math.min(bounds[i + 1], other.bounds[j + 1]) - Math.max(bounds[i], other.bounds[j]) + 1);
            if (bounds[i + 1] < other.bounds[j + 1]) {
                i += 2;
            } else {
                j += 2;
            }
        }
        return common;
    }

    /** The lowest {@code count} indexes below {@code completions} that are not in the set, in order. */
    int[] firstMissing(int count, int completions) {
        int[] missing = new int[count];
        int found = 0;
        int candidate = 0;
        for (int i = 0; i <= bounds.length && found < count; i += 2) {
            int end = i < bounds.length ? Math.min(bounds[i], completions) : completions;
            while (candidate < end && found < count) {
                missing[found++] = candidate++;
            }
            candidate = i < bounds.length ? bounds[i + 1] + 1 : candidate;
        }
        return Arrays.copyOf(missing, found);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bounds.length; i += 2) {
            if (i > 0) {
                text.append(',');
            }
            text.append(bounds[i]);
            if (bounds[i + 1] > bounds[i]) {
                text.append(bounds[i + 1] == bounds[i] + 1 ? ',' : '-').append(bounds[i + 1]);
            }
        }
        return text.toString();
    }

    /** Takes intervals in the order of their first indexes, and joins those that overlap or touch. */
    private static final class Builder {
        private int[] bounds;
        private int length;

        Builder(int intervals) {
            bounds = new int[2 * intervals];
        }

        void add(int first, int last) {
            if (length > 0 && first <= bounds[length - 1] + 1) {
                bounds[length - 1] = Math.max(bounds[length - 1], last);
            } else {
                bounds[length++] = first;
                bounds[length++] = last;
            }
        }

        Indexes build() {
            return length == 0 ? NONE : new Indexes(Arrays.copyOf(bounds, length));
        }
    }
}
