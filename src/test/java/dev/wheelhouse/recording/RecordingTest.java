package dev.wheelhouse.recording;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

class RecordingTest {
    private static final Scenario SCENARIO = Scenario.parse("kind/name", """
            doc: x
            steps: [{kubelet: all}]
            chance: {"status/b": a race}
            """);

    @Test
    void aRecordingThatIsWrittenAndReadIsTheSame() {
        Recording recording = recording(entry(
                state("""
                        {"Pod/a": {"spec": {"x": 1, "y": [1]}, "status": {"phase": "Pending"}},
                         "Pod/b": {"status": {"a": 1}}}"""),
                Set.of("Normal Created Pod/a: made (x)"), Map.of("create pods", 2)),
                entry(state("""
                        {"Pod/a": {"spec": {"y": [2]}, "status": {"phase": "Running", "b": {"c": 1}}}}"""), Set.of(),
                        Map.of()),
                entry(state("""
                        {"Pod/a": {"spec": {"y": [2]}, "status": {"phase": "Running"}}, "Pod/c": {}}"""), Set.of(),
                        Map.of()));
        assertThat(Recording.parse(recording.text())).isEqualTo(recording);
    }

    @Test
    void differencesNameTheFieldAndBothValues() {
        Recording one = recording(entry(state("""
                {"Job/a": {"status": {"active": 1}}, "Pod/a#1": {}}"""), Set.of("Normal Made Job/a: x (y)"),
                Map.of("create pods", 1)));
        Recording other = recording(entry(state("""
                {"Job/a": {"status": {"active": 2, "ready": 0}}}"""), Set.of(), Map.of("create pods", 2)));
        assertThat(Difference.between(one, other, SCENARIO)).containsExactly(
                "entry 0 (step 0) Job/a/status/active: recorded 1, here 2",
                "entry 0 (step 0) Job/a/status/ready: recorded nothing, here 0",
                "entry 0 (step 0) Pod/a#1 is recorded, and does not exist here",
                "entry 0 (step 0) event missing: Normal Made Job/a: x (y)",
                "writes: create pods 2 times, recorded 1");
    }

    @Test
    void aDifferenceThatTheScenarioLeavesToChanceIsNone() {
        assertThat(Difference.between(
                recording(entry(state("{\"Job/a\": {\"status\": {\"a\": 1, \"b\": 1}}}"), Set.of(),
                        Map.of())),
                recording(entry(state("{\"Job/a\": {\"status\": {\"a\": 1, \"b\": 2}}}"), Set.of(), Map.of())),
                SCENARIO)).isEmpty();
    }

    private static Recording recording(Recording.Entry... entries) {
        return new Recording("v1.36.2", Instant.parse("2025-12-31T23:00:00Z"), Instant.parse("2026-01-01T00:00:00Z"),
                List.of(entries));
    }

    private static Recording.Entry entry(Map<String, JsonNode> state, Set<String> events, Map<String, Integer> writes) {
        return new Recording.Entry(0, null, 10, 20, 200, state, events, writes);
    }

    private static Map<String, JsonNode> state(String json) {
        Map<String, JsonNode> state = new TreeMap<>();
        Json.read(json).properties().forEach(e -> state.put(e.getKey(), e.getValue()));
        return state;
    }
}
