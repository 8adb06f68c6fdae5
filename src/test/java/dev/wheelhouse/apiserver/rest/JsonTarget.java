package dev.wheelhouse.apiserver.rest;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Surrogates;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes JSON bodies of all built-in kinds in dry-run requests. They are accepted or refused. The server accepts its
 * own answer again, and answers the same. JSON and YAML written from a parsed body parse to the same tree.
 */
public final class JsonTarget implements FuzzTarget {
    private final FuzzedServer server = new FuzzedServer(false, Map.of());

    @Override
    public void run(byte[] sent) {
        ApiResponse.Content made = post(sent, "application/json");
        byte[] input = Surrogates.paired(sent);
        JsonNode tree = tree(input);
        if (tree == null || tree.isMissingNode()) {
            assertThat(made.code()).isNotEqualTo(201);
            return;
        }
        assertThat(Json.read(Json.bytes(tree))).as("written and read again").isEqualTo(tree);
        assertThat(Json.readUnlessDuplicates(input) == null).as("whether a field is there twice")
                .isEqualTo(!FieldValidation.duplicates(input).isEmpty());
        if (made.code() == 201) {
            ObjectNode first = forAnotherTrial(made);
            ApiResponse.Content again = post(Json.bytes(first), "application/json");
            assertThat(again.code()).as("%s", new String(again.body(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(201);
            assertThat(forAnotherTrial(again)).as("what came back, posted again").isEqualTo(first);
            ApiResponse.Content asYaml = post(Yaml.write(first), "application/yaml");
            assertThat(asYaml.code()).as("%s", new String(asYaml.body(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(201);
            assertThat(forAnotherTrial(asYaml)).as("by way of YAML").isEqualTo(first);
        }
    }

    static @Nullable JsonNode tree(byte[] input) {
        try {
            return Json.read(input);
        } catch (JacksonException e) {
            return null;
        }
    }

    private ApiResponse.Content post(byte[] body, String media) {
        ApiResponse.Content answer = server.ask(Kinds.create(body, media));
        assertThat(server.isChanged()).as("a trial changed something").isFalse();
        return answer;
    }

    /** Removes the fields that the server sets on every new object. */
    static ObjectNode forAnotherTrial(ApiResponse.Content answer) {
        ObjectNode object = (ObjectNode) Json.read(answer.body());
        if (object.get("metadata") instanceof ObjectNode metadata) {
            metadata.remove(List.of("uid", "creationTimestamp", "resourceVersion", "managedFields", "selfLink"));
            if (metadata.has("generateName")) {
                metadata.remove("name");
            }
        }
        return object;
    }
}
