package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The recent past of one autoscaler. Entries that no window needs any more are replaced by new ones. Immutable.
 *
 * @param recommendations the replicas that the metrics asked for
 * @param ups the scalings that added pods
 * @param downs the scalings that removed pods
 */
record Memory(List<Entry> recommendations, List<Entry> ups, List<Entry> downs) {
    static final Memory EMPTY = new Memory(List.of(), List.of(), List.of());

    /** @param replicas the recommended replicas, or the replicas that a scaling added or removed */
    record Entry(int replicas, Instant at) {}

    Memory {
        recommendations = List.copyOf(recommendations);
        ups = List.copyOf(ups);
        downs = List.copyOf(downs);
    }

    /** Adds a recommendation, in the place of an old one if there is one. */
    Memory withRecommendation(int replicas, Instant now, Predicate<Entry> isOld) {
        return new Memory(with(recommendations, new Entry(replicas, now), isOld), ups, downs);
    }

    /** Adds a scaling, in the place of one that is older than the longest period of a policy if there is one. */
    Memory withScaling(int from, int to, Instant now, Duration longestPeriod) {
        Entry entry = new Entry(Math.abs(to - from), now);
        Predicate<Entry> isOld = other -> other.at.isBefore(now.minus(longestPeriod));
        return to > from
                ? new Memory(recommendations, with(ups, entry, isOld), downs)
                : new Memory(recommendations, ups, with(downs, entry, isOld));
    }

    private static List<Entry> with(List<Entry> entries, Entry added, Predicate<Entry> isOld) {
        List<Entry> result = new ArrayList<>(entries);
        for (int i = result.size() - 1; i >= 0; i--) {
            if (isOld.test(result.get(i))) {
                result.set(i, added);
                return result;
            }
        }
        result.add(added);
        return result;
    }

    /** The pods that scalings have added, less those that scalings have removed, since a time. */
    int changeSince(Instant time) {
        return since(ups, time) - since(downs, time);
    }

    private static int since(List<Entry> entries, Instant time) {
        return entries.stream().filter(entry -> entry.at.isAfter(time)).mapToInt(Entry::replicas).sum();
    }
}
