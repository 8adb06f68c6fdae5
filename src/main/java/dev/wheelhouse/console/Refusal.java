package dev.wheelhouse.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.journal.Journal;

/**
 * A key for which the API server has refused writes of a controller in each of the last syncs that wrote. The syncs of
 * the key may succeed nevertheless.
 *
 * @param error the newest answer
 * @param times the number of refused writes in these syncs, at least 2
 * @param since the time of the first of them
 */
record Refusal(String controller, String key, String error, int times, Instant since) {
    /** A key that has had no write for this time is not taken for refused any more. */
    static final Duration KNOWN = Duration.ofMinutes(20);
    /** The answers of an API server that is busy, or has another version of the object: the next try may pass. */
    private static final Set<Integer> PASSING = Set.of(404, 409, 410, 429, 502, 503, 504);

    /** The last syncs of one key. */
    private static final class Run {
        private Journal.@Nullable Sync sync;
        private boolean refused;
        private boolean ended;
        private String error = "";
        private int times;
        private Instant since = Instant.MAX;

        private void add(Journal.Entry write) {
            if (write.sync() != sync) {
                ended |= sync != null && !refused;
                sync = write.sync();
                refused = false;
            }
            if (!ended && write.code() >= 400 && !PASSING.contains(write.code())) {
                error = times++ == 0 ? write.answer() : error;
                since = write.sent();
                refused = true;
            }
        }
    }

    /** The refusals at a moment. @param writes newest first */
    static List<Refusal> of(List<Journal.Entry> writes, Instant now) {
        Map<List<String>, Run> runs = new LinkedHashMap<>();
        for (Journal.Entry write : writes) {
            if (!write.type().equals(ResourceType.EVENTS) && write.sent().isAfter(now.minus(KNOWN))) {
                runs.computeIfAbsent(List.of(write.sync().controller(), write.sync().key()), key -> new Run())
                        .add(write);
            }
        }
        List<Refusal> refusals = new ArrayList<>();
        runs.forEach((key, run) -> {
            if (run.times > 1) {
                refusals.add(new Refusal(key.getFirst(), key.getLast(), run.error, run.times, run.since));
            }
        });
        return refusals;
    }
}
