package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays transcripts of a real API server and compares the answers. One server replays all entries of a file in order.
 */
class ApiTranscriptTest {
    private static final List<String> FILES = List.of("crud_errors", "list_paging", "watch", "watch_expired", "patches",
            "apply", "deletes", "status_generation_scale", "discovery", "namespaces_auth");

    /** Entries with known differences, and the reasons. The test fails if one of them passes. */
    private static final Map<String, String> OPEN = new TreeMap<>();

    private static void open(String reason, String... entries) {
        for (String entry : entries) {
            OPEN.put(entry, reason);
        }
    }

    static {
        open("1.36 prints values in causes as JSON, not as Go", "crud_errors 19", "crud_errors 21", "patches 37",
                "deletes 52", "status_generation_scale 28", "status_generation_scale 29");
        open("the words for a syntax error in JSON are the parser's", "list_paging 8");
        open("1.36 says it in other words", "deletes 54", "crud_errors 16", "apply 10", "status_generation_scale 22");
        open("upstream's message ends in a difference of Go structs", "status_generation_scale 33",
                "status_generation_scale 34");
        open("upstream keeps $patch as a key of a plain map", "patches 42");
        open("1.36 answers 400 to a version that is no number", "list_paging 18", "list_paging 19");
        open("1.36 answers 400 to malformed options", "deletes 43");
        open("a future version is 504 with Retry-After for every list", "list_paging 22");
        open("1.36 knows sendInitialEvents and asks for resourceVersionMatch", "watch 15", "watch 16");
        open("what is served is 1.36, by Wheelhouse", "discovery 0", "discovery 1", "discovery 3", "discovery 4",
                "discovery 5", "discovery 6", "discovery 9", "discovery 14", "discovery 16", "discovery 17",
                "discovery 20", "namespaces_auth 12");
        open("controllers did it, and none runs here", "apply 22", "deletes 49", "deletes 55", "deletes 57",
                "deletes 58", "namespaces_auth 6");
    }

    @TestFactory
    Stream<DynamicTest> answersAsTheRecordedServerDid() {
        return FILES.stream().flatMap(ApiTranscriptTest::file);
    }

    private static Stream<DynamicTest> file(String file) {
        JsonNode entries = Resources.json("/golden/api/" + file + ".json");
        List<DynamicTest> tests = new ArrayList<>();
        try (RecordedServer server = new RecordedServer(file)) {
            for (int i = 0; i < entries.size(); i++) {
                List<String> differences = server.replay(i, entries.get(i));
                tests.add(test(file + " " + i, entries.get(i), differences));
            }
        }
        return tests.stream();
    }

    private static DynamicTest test(String id, JsonNode entry, List<String> differences) {
        String open = OPEN.get(id);
        String request = Json.text(entry, "request", "method") + " " + Json.text(entry, "request", "path");
        return DynamicTest.dynamicTest(id + ": " + request, () -> {
            if (open == null) {
                assertThat(differences).as("%s: %s %s", id, request, Json.text(entry, "note")).isEmpty();
            } else {
                assertThat(differences).as("%s passes: take it off the list", id).isNotEmpty();
            }
        });
    }

}
