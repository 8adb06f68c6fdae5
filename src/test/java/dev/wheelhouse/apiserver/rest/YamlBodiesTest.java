package dev.wheelhouse.apiserver.rest;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** Values of YAML bodies, and the validation of their fields. */
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
        assertThat(rest.last.warnings()).containsExactly("line 8: key \"foo\" already set in map");
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
        assertThat(rest.last.warnings()).containsExactly("line 8: key \"foo\" already set in map");
        rest.call("POST", NS + "configmaps?dryRun=All", "application/yaml",
                TWICE.replace("name: twice", "name: thrice") + "  foo: d\nunknown: 1\n");
        assertThat(rest.last.warnings()).containsExactly("line 8: key \"foo\" already set in map",
                "line 9: key \"foo\" already set in map", "unknown field \"unknown\"");
    }

    /** The values are those of kube-apiserver 1.36.2; a value of null means that it answers 400 to a create. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"ConfigMap | data: {k: 2020-01-01} | /data/k | \"2020-01-01\"",
            "ConfigMap | data: {k: 12:30:45} | /data/k | \"12:30:45\"", "ConfigMap | data: {k: yes} | |",
            "ConfigMap | data: {k: 0555} | |", "ConfigMap | data: {k: 08} | |", "ConfigMap | data: {k: 1.10} | |",
            "ConfigMap | data: {k: ! 12} | /data/k | \"12\"", "ConfigMap | data: {k: !!str 5} | /data/k | \"5\"",
            "ConfigMap | data: {2020-01-01: a} | /data/2020-01-01 | \"a\"",
            "ConfigMap | data: {yes: a} | /data/true | \"a\"",
            "ConfigMap | data: {1.50: a} | /data/1.5 | \"a\"", "ConfigMap | immutable: yes | /immutable | true",
            "ConfigMap | immutable: 'yes' | |", "ConfigMap | data: {<<: {a: x}, a: z} | /data/a | \"z\"",
            "ConfigMap | data: {k: .inf} | |", "ConfigMap | binaryData: {b: !!binary aGk=} | |",
            "ConfigMap | binaryData: {b: aGk=} | /binaryData/b | \"aGk=\"",
            "Lease | spec: {renewTime: 2020-03-25T13:37:11.000000Z} | /spec/renewTime "
                    + "| \"2020-03-25T13:37:11.000000Z\"",
            "Lease | spec: {renewTime: 2020-03-25} | |",
            "Lease | spec: {leaseTransitions: 0o17} | /spec/leaseTransitions | 15",
            "Lease | spec: {leaseTransitions: 017} | /spec/leaseTransitions | 15",
            "Lease | spec: {leaseTransitions: 365.0} | /spec/leaseTransitions | 365",
            "Lease | spec: {leaseTransitions: 1e2} | /spec/leaseTransitions | 100",
            "Lease | spec: {leaseTransitions: 365.5} | |", "Lease | spec: {leaseTransitions: 10:30} | |"})
    void aValueWithoutQuotesHasTheTypeThatKubeApiserverGivesIt(String kind, String field, String path, String value) {
        boolean lease = kind.equals("Lease");
        String collection = lease ? "/apis/coordination.k8s.io/v1/namespaces/default/leases" : NS + "configmaps";
        String body = "apiVersion: " + (lease ? "coordination.k8s.io/v1" : "v1") + "\nkind: " + kind
                + "\nmetadata: {name: typed}\n" + field + "\n";
        JsonNode created = rest.call("POST", collection + "?dryRun=All", "application/yaml", body);
        assertThat(rest.last.code()).isEqualTo(value == null ? 400 : 201);
        JsonNode applied = rest.apply(collection + "/typed?fieldManager=m", body);
        assertThat(rest.last.code() < 300).isEqualTo(value != null);
        if (value != null) {
            assertThat(created.at(path).toString()).isEqualTo(value);
            assertThat(applied.at(path).toString()).isEqualTo(value);
        }
    }

    @Test
    void theFirstDocumentCountsAndNoOtherIsRead() {
        String map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first}\n";
        for (String after : List.of("---\nkind: Nonsense\n", "---\n[", "...\n---\n" + map)) {
            rest.call("POST", NS + "configmaps?dryRun=All", "application/yaml", map + after);
            assertThat(rest.last.code()).isEqualTo(201);
            rest.apply(NS + "configmaps/first?dryRun=All&fieldManager=m", map + after);
            assertThat(rest.last.code()).isEqualTo(201);
        }
    }

    @Test
    void aBodyThatIsNoYamlIsRefusedInTheWordsOfItsRequest() {
        assertThat(Json.text(rest.call("POST", NS + "configmaps", "application/yaml", "a: ["), "message")).startsWith(
                "the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: ")
                .endsWith(" (613a205b)");
        assertThat(Json.text(rest.apply(NS + "configmaps/a?fieldManager=m", "a: ["), "message"))
                .startsWith("error decoding YAML: error converting YAML to JSON: yaml: line 1: ");
        assertThat(Json.text(rest.call("DELETE", NS + "configmaps/a", "application/yaml", "a: ["), "message"))
                .startsWith("yaml: line 1: ");
    }

    @Test
    void bytesThatAreNotBase64AreRefusedWithTheirPlace() {
        for (String value : List.of("hi", "aGk", "aGkxhi", "aGkxhi!!")) {
            JsonNode answer = rest.call("POST", NS + "configmaps?dryRun=All", "application/yaml",
                    "metadata: {name: b}\nbinaryData: {k: " + value + "}\n");
            assertThat(Json.text(answer, "message")).as(value).endsWith(
                    "illegal base64 data at input byte " + (value.startsWith("aGkxhi!") ? 6 : value.length() / 4 * 4));
        }
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
