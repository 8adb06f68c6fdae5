package dev.wheelhouse.console;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.journal.Journal;

/**
 * Writes of a controller for a key that the API server has refused at least twice in a row, although the syncs of the
 * key may not fail. Pure.
 *
 * @param times the number of refusals since the last success
 * @param since the time of the first of them
 */
record Refusal(String controller, String key, String error, int times, Instant since) {
    /** The longest delay of a retry is shorter. After this time without another refusal nothing is known any more. */
    static final Duration KNOWN = Duration.ofMinutes(20);
    /** Answers of an API server that is busy, or that has another version of the object: the next try may pass. */
    private static final Set<Integer> PASSING = Set.of(404, 409, 410, 429, 502, 503, 504);

    private record Kind(String controller, String key, String verb, ResourceType type) {}

    /** @param writes the writes, newest first */
    static List<Refusal> of(List<Journal.Entry> writes, Instant now) {
        Set<Kind> succeeded = new HashSet<>();
        Map<Kind, Refusal> refusals = new HashMap<>();
        for (Journal.Entry write : writes) {
            Kind kind = new Kind(write.sync().controller(), write.sync().key(), write.verb(), write.type());
            if (write.type().equals(ResourceType.EVENTS) || write.sent().isBefore(now.minus(KNOWN))) {
                continue;
            }
            if (write.code() < 400 && write.code() > 0) {
                succeeded.add(kind);
            } else if (write.code() >= 400 && !PASSING.contains(write.code()) && !succeeded.contains(kind)) {
                refusals.merge(kind, new Refusal(kind.controller, kind.key, write.answer(), 1, write.sent()),
                        (newest, older) -> new Refusal(newest.controller, newest.key, newest.error, newest.times + 1,
                                older.since));
            }
        }
        return refusals.values().stream().filter(refusal -> refusal.times > 1).toList();
    }
}
