package dev.wheelhouse.apiserver.rest;

import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Trees;

import static org.assertj.core.api.Assertions.assertThat;

/** A YAML body, posted for a trial: taken or refused. YAML that is read is written as it was, as JSON has it. */
public final class YamlTarget implements FuzzTarget {
    private final FuzzedServer server = new FuzzedServer(false, Map.of());

    @Override
    public void run(byte[] input) {
        server.ask(Kinds.create(input, "application/yaml"));
        JsonNode tree;
        try {
            tree = asJson(Yaml.read(input).value());
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(400);
            return;
        }
        assertThat(asJson(Yaml.read(Yaml.write(tree)).value())).as("written and read again").isEqualTo(tree);
    }

    /** Bytes and times, which only YAML has, as the texts that they are in JSON. */
    private static JsonNode asJson(JsonNode tree) {
        return Trees.withFloatingNumbers(Json.read(Json.bytes(tree)));
    }

    /** SnakeYAML makes a token, an event and a node of each character, in the worst case. */
    @Override
    public long mostAllocated(int length) {
        return (64L << 20) + 4096L * length;
    }
}
