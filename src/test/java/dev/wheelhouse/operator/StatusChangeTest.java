package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;

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
        return StatusChange.next(OperatorWorld.SITES, PRIMARY, null,
                List.of(new Decision.Condition("Ready", value, "Because", "so")), NOON);
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
        ObjectNode next = StatusChange.next(OperatorWorld.SITES, PRIMARY, json("""
                {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T11:59:59Z"}]}"""),
                List.of(), NOON);
        assertThat(next.at("/conditions/0/lastTransitionTime").asString()).isEqualTo("2026-01-01T09:00:00Z");
        assertThat(next.path("conditions")).hasSize(1);
    }

    @Test
    void aConditionOfABuiltInTypeHasTheFieldsOfThatType() {
        List<Decision.Condition> conditions = List.of(new Decision.Condition("Custom", true, "Because", "so"));
        assertThat(StatusChange.next(ResourceType.DEPLOYMENTS, PRIMARY, null, conditions, NOON)
                .at("/conditions/2").has("observedGeneration")).isFalse();
    }

    @Test
    void theDifferenceIsAMergePatch() {
        ObjectNode wanted = (ObjectNode) json("{\"b\": {\"c\": 5, \"d\": 2}, \"e\": [1]}");
        assertThat(StatusChange.diff(json("{\"a\": 1, \"b\": {\"c\": 1, \"d\": 2, \"f\": 3}}"), wanted))
                .isEqualTo(json("{\"b\": {\"c\": 5, \"f\": null}, \"e\": [1], \"a\": null}"));
    }
}
