package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** Field validation of YAML bodies with duplicate keys. */
class YamlBodiesTest {
    private static final String TWICE = """
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: twice
            data:
              foo: a
              bar: b
              foo: c
            """;
    private static final String COMPLAINT = "yaml: unmarshal errors:\n  line 8: key \"foo\" already set in map";

    private final RestClient rest = new RestClient();

    @Test
    void anAppliedConfigurationMayNotNameAKeyTwiceWhereThatIsStrict() {
        String path = NS + "configmaps/twice?fieldManager=m&fieldValidation=";
        assertThat(Json.text(rest.apply(path + "Strict", TWICE), "message"))
                .isEqualTo("error strict decoding YAML: error converting YAML to JSON: " + COMPLAINT);
        assertThat(rest.last.code()).isEqualTo(400);
        assertThat(Json.text(rest.apply(path + "Warn", TWICE), "data", "foo")).isEqualTo("c");
        assertThat(rest.last.warnings()).containsExactly("error converting YAML to JSON: yaml: unmarshal errors: "
                + "line 8: key \"foo\" already set in map");
        rest.apply(path + "Ignore", TWICE);
        assertThat(rest.last.code()).isEqualTo(200);
        assertThat(rest.last.warnings()).isEmpty();
    }

    @Test
    void aCreatedObjectMayNotNameAKeyTwiceWhereThatIsStrict() {
        assertThat(Json.text(rest.call("POST", NS + "configmaps?fieldValidation=Strict", "application/yaml", TWICE),
                "message")).endsWith("strict decoding error: " + COMPLAINT);
        rest.call("POST", NS + "configmaps", "application/yaml", TWICE);
        assertThat(rest.last.code()).isEqualTo(201);
        assertThat(rest.last.warnings()).hasSize(1);
    }

    @Test
    void equalKeysOfDifferentMappingsAreNone() {
        rest.apply(NS + "configmaps/once?fieldManager=m&fieldValidation=Strict", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: once, labels: {foo: a}, annotations: {foo: a}}
                data: {"1": a, one: b}
                """);
        assertThat(rest.last.code()).isEqualTo(201);
    }
}
