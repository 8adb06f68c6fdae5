package dev.wheelhouse.apiserver.rest;

import java.util.List;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Creations with values at and beyond the bounds of a field: addresses, paths, seconds, quantities, and the metadata of
 * claim templates. {@code golden/validation/bounds.jsonl} has the answers of kube-apiserver 1.36.2.
 */
class BoundaryValuesTest {
    private final RestClient rest = new RestClient();

    @TestFactory
    List<DynamicTest> valuesAtTheBoundsAreAnsweredAsByKubeApiserver() {
        return Resources.jsonLines("/golden/validation/bounds.jsonl").stream()
                .map(line -> DynamicTest.dynamicTest(line.path("object").toString(), () -> check(line))).toList();
    }

    private void check(JsonNode recorded) {
        JsonNode answer = rest.post(recorded.path("path").asString("") + "?dryRun=All",
                recorded.path("object").toString());
        String message = rest.last.code() < 300 ? "" : answer.path("message").asString("");
        assertThat(rest.last.code() + " " + message)
                .isEqualTo(recorded.path("status").asInt(0) + " " + recorded.path("message").asString(""));
    }
}
