package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the schema of a custom resource and, after a line break, an object of it. The definition and the object are
 * each created or refused. A created object can be updated with what the server returned.
 */
public final class SchemaTarget implements FuzzTarget {
    private static final String OBJECTS = "/apis/e.io/v1/namespaces/default/as";

    private final FuzzedServer server = new FuzzedServer(false, Map.of());

    @Override
    public void run(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        JsonNode schema = JsonTarget.tree((end < 0 ? text : text.substring(0, end)).getBytes(StandardCharsets.UTF_8));
        if (schema == null || schema.isMissingNode()) {
            return;
        }
        try {
            ApiResponse.Content defined = server.ask(ApiRequest.of("POST",
                    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", Json.bytes(definition(schema))));
            if (defined.code() == 201) {
                make(text.substring(end + 1));
                server.ask(ApiRequest.of("GET", "/openapi/v3/apis/e.io/v1", null));
            }
        } finally {
            if (server.isChanged()) {
                server.reset();
            }
        }
    }

    private void make(String object) {
        ApiResponse.Content made = server.ask(ApiRequest.of("POST", OBJECTS, object.getBytes(StandardCharsets.UTF_8)));
        if (made.code() != 201) {
            return;
        }
        String name = Json.text(Json.read(made.body()), "metadata", "name");
        ApiResponse.Content put = server.ask(ApiRequest.of("PUT", OBJECTS + "/" + name, made.body()));
        assertThat(put.code()).as("%s", new String(put.body(), StandardCharsets.UTF_8)).isEqualTo(200);
        assertThat(Json.read(put.body())).as("what was made, written back").isEqualTo(Json.read(made.body()));
    }

    private static ObjectNode definition(@Nullable JsonNode schema) {
        ObjectNode definition = (ObjectNode) Json
                .read("""
                        {"metadata": {"name": "as.e.io"}, "spec": {"group": "e.io", "scope": "Namespaced",
                         "names": {"plural": "as",
                        "singular": "a", "kind": "A", "listKind": "AList"}, "versions": [{"name": "v1", "served": true,
                         "storage": true,
                        "schema": {}}]}}""");
        ((ObjectNode) definition.at("/spec/versions/0/schema")).set("openAPIV3Schema", schema);
        return definition;
    }
}
