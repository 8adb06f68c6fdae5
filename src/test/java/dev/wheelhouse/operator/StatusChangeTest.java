package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

class StatusChangeTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final JsonNode PRIMARY = json("""
            {"metadata": {"generation": 3}, "status": {"a": 1, "b": {"c": 1, "d": 2}, "conditions": [
              {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T09:00:00Z"},
              {"type": "Others", "status": "True", "lastTransitionTime": "2026-01-01T10:00:00Z"}]}}""");

    private static JsonNode json(String text) {
        return ModelJson.read(text, JsonNode.class);
    }

    private static ObjectNode ready(boolean value) {
        return next(null, new Decision.Condition("Ready", value, "Because", "so"));
    }

    private static ObjectNode next(JsonNode wanted, Decision.Condition... conditions) {
        return new StatusChange(wanted, List.of(conditions), List.of(), Set.of()).next(OperatorWorld.SITES, PRIMARY,
                NOON);
    }

    @Test
    void aConditionKeepsItsTransitionTimeWhileItsStatusStaysAndOthersStayAsTheyAre() {
        assertThat(ready(true).at("/conditions/0/lastTransitionTime").asString()).isEqualTo("2026-01-01T09:00:00Z");
        assertThat(ready(false).at("/conditions/0/lastTransitionTime").asString()).isEqualTo("2026-01-01T12:00:00Z");
        assertThat(ready(false).at("/conditions/0/observedGeneration").asInt()).isEqualTo(3);
        assertThat(ready(false).at("/conditions/1")).isEqualTo(PRIMARY.at("/status/conditions/1"));
    }

    @Test
    void aConditionOfAWantedStatusKeepsItsTransitionTimeToo() {
        ObjectNode next = next(
                json("""
                        {"conditions": [{"type": "Ready", "status": "True",
                         "lastTransitionTime": "2026-01-01T11:59:59Z"}]}"""));
        assertThat(next.at("/conditions/0/lastTransitionTime").asString()).isEqualTo("2026-01-01T09:00:00Z");
    }

    @Test
    void conditionsOfAWantedStatusAreMergedByTypeAndStayUntilTheyAreRemoved() {
        JsonNode wanted = json(
                """
                        {"a": 2, "conditions": [{"type": "Known", "status": "Unknown"},
                         {"type": "Ready", "status": "False"}]}""");
        ObjectNode next = next(wanted, new Decision.Condition("Known", ConditionStatus.UNKNOWN, "NotPolled", ""));
        assertThat(next.path("conditions").valueStream().map(each -> each.path("type").asString("") + "="
                + each.path("status").asString("") + " " + each.path("lastTransitionTime").asString("")))
                .containsExactly("Ready=False 2026-01-01T12:00:00Z", "Others=True 2026-01-01T10:00:00Z",
                        "Known=Unknown 2026-01-01T12:00:00Z");
        ObjectNode without = new StatusChange(null, List.of(), List.of("Others"),
                Set.of()).next(OperatorWorld.SITES, PRIMARY,
                        NOON);
        assertThat(without.path("conditions")).hasSize(1);
    }

    @Test
    void otherThingsThatAreCalledConditionsAreWrittenAsTheyAre() {
        for (String value : List.of("[\"dry\", \"warm\"]", "{\"a\": 1}", "\"fair\"")) {
            JsonNode status = json("{\"conditions\": " + value + "}");
            assertThat(next(status)).isEqualTo(status);
        }
    }

    @Test
    void aConditionOfABuiltInTypeHasTheFieldsOfThatType() {
        List<Decision.Condition> conditions = List.of(new Decision.Condition("Custom", true, "Because", "so"));
        assertThat(new StatusChange(null, conditions, List.of(), Set.of()).next(ResourceType.DEPLOYMENTS, PRIMARY, NOON)
                .at("/conditions/2").has("observedGeneration")).isFalse();
    }

    @Test
    void theDifferenceIsAMergePatch() {
        ObjectNode wanted = (ObjectNode) json("{\"b\": {\"c\": 5, \"d\": 2}, \"e\": [1]}");
        assertThat(StatusChange.diff(json("{\"a\": 1, \"b\": {\"c\": 1, \"d\": 2, \"f\": 3}}"), wanted))
                .isEqualTo(json("{\"b\": {\"c\": 5, \"f\": null}, \"e\": [1], \"a\": null}"));
    }
}
