package dev.wheelhouse.apiserver.rest;

import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Trees;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes YAML bodies of dry-run requests. They are accepted or refused. An accepted document is written as the YAML of
 * the same JSON.
 */
public final class YamlTarget implements FuzzTarget {
    private final FuzzedServer server = new FuzzedServer(false, Map.of());

    @Override
    public void run(byte[] input) {
        server.ask(Kinds.create(input, "application/yaml"));
        JsonNode tree;
        try {
            tree = asJson(Yaml.read(input, Errors::badRequest).value());
        } catch (StatusException e) {
            assertThat(e.code()).isEqualTo(400);
            return;
        }
        assertThat(asJson(Yaml.read(Yaml.write(tree), Errors::badRequest).value())).as("written and read again")
                .isEqualTo(tree);
    }

    /** Converts bytes and times, which JSON does not have, to text. */
    private static JsonNode asJson(JsonNode tree) {
        return Trees.withFloatingNumbers(Json.read(Json.bytes(tree)));
    }

    /** In the worst case SnakeYAML creates a token, an event and a node for each character. */
    @Override
    public long mostAllocated(int length) {
        return (64L << 20) + 4096L * length;
    }
}
