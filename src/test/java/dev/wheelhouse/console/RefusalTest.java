package dev.wheelhouse.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.journal.Origin;

import static org.assertj.core.api.Assertions.assertThat;

/** Which keys count as refused, by their last writes. */
class RefusalTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");

    /** The writes from the oldest to the newest, each as seconds ago, sync, type and code. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"9 a pods 403, 5 b pods 403 | 2", "9 a pods 403 | 0",
            "9 a pods 403, 8 a jobs.batch 200, 5 b pods 403 | 2", "9 a pods 403, 5 b pods 403, 3 c pods 201 | 0",
            "9 a pods 403, 5 b pods 403, 3 c jobs.batch 200 | 0", "9 a pods 403, 6 b pods 201, 3 c pods 403 | 0",
            "9 a pods 403, 8 a events 201, 5 b pods 403, 3 c events 201 | 2", "9 a pods 403, 5 b pods 409 | 0",
            "9 a pods 500, 5 b pods 500 | 2", "3000 a pods 403, 2900 b pods 403 | 0",
            "9 a pods 0, 5 b pods 0 | 0", "9 a pods 429, 5 b pods 503 | 0"})
    void aKeyIsRefusedIfEachOfItsLastSyncsThatWroteIs(String writes, int times) {
        Map<String, Journal.Sync> syncs = new HashMap<>();
        List<Journal.Entry> newestFirst = new ArrayList<>();
        for (String write : writes.split(", ")) {
            String[] words = write.split(" ");
            Instant sent = NOW.minusSeconds(Long.parseLong(words[0]));
            Journal.Sync sync = syncs.computeIfAbsent(words[1],
                    name -> new Journal.Sync("job-controller", "shop/sale", Origin.NONE, sent));
            ResourceType type = switch (words[2]) {
                case "pods" -> ResourceType.PODS;
                case "events" -> ResourceType.EVENTS;
                default -> ResourceType.JOBS;
            };
            newestFirst.addFirst(new Journal.Entry(newestFirst.size() + 1, sync, "create", type,
                    ObjectKey.of("shop", "x"), "", sent, 0, Integer.parseInt(words[3]), "answer of " + words[1]));
        }
        newestFirst.addFirst(new Journal.Entry(99, new Journal.Sync("job-controller", "shop/other", Origin.NONE, NOW),
                "create", ResourceType.PODS, ObjectKey.of("shop", "y"), "", NOW, 0, 201, ""));

        assertThat(Refusal.of(newestFirst, NOW)).isEqualTo(times == 0
                ? List.of()
                : List.of(new Refusal("job-controller", "shop/sale", "answer of b", times,
                        NOW.minus(Duration.ofSeconds(9)))));
    }
}
