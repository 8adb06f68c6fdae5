package dev.wheelhouse.apiserver.rest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Creations with values at and beyond the bounds of a field: addresses, paths, seconds, quantities, and the metadata of
 * claim templates. {@code golden/validation/bounds.jsonl} has the answers of kube-apiserver 1.36.2.
 */
class BoundaryValuesTest {
    private final RestClient rest = new RestClient();

    @TestFactory
    List<DynamicTest> valuesAtTheBoundsAreAnsweredAsByKubeApiserver() throws IOException {
        String file = "/golden/validation/bounds.jsonl";
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().map(Json::read)
                    .map(line -> DynamicTest.dynamicTest(line.path("object").toString(), () -> check(line))).toList();
        }
    }

    private void check(JsonNode recorded) {
        JsonNode answer = rest.post(recorded.path("path").asString("") + "?dryRun=All",
                recorded.path("object").toString());
        String message = rest.last.code() < 300 ? "" : answer.path("message").asString("");
        assertThat(rest.last.code() + " " + message)
                .isEqualTo(recorded.path("status").asInt(0) + " " + recorded.path("message").asString(""));
    }
}
