package dev.wheelhouse.apiserver.rest;

import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Trees;

import static org.assertj.core.api.Assertions.assertThat;

/** A YAML body, posted for a trial: taken or refused. YAML that is read is written as it was, and JSON reads the same from it. */
public final class YamlTarget implements FuzzTarget {
    private final FuzzedServer server = new FuzzedServer(false, Map.of());

    @Override
    public void run(byte[] input) {
        server.ask(Kinds.create(input, "application/yaml"));
        JsonNode tree;
        try {
            tree = Yaml.read(input).value();
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(400);
            return;
        }
        assertThat(Trees.withFloatingNumbers(Yaml.read(Yaml.write(tree)).value())).as("written and read again")
                .isEqualTo(Trees.withFloatingNumbers(tree));
        assertThat(Trees.withFloatingNumbers(Json.read(Json.bytes(tree)))).as("as JSON")
                .isEqualTo(Trees.withFloatingNumbers(tree));
    }
}
