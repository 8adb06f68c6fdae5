package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes of clients to the status of a CustomResourceDefinition. */
class DefinitionStatusTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String PENS = "/apis/shop.example.com/v1/pens";

    private final RestClient rest = new RestClient();

    @BeforeEach
    void define() {
        rest.post(CRDS,
                """
                        {"metadata": {"name": "pens.shop.example.com"}, "spec": {"group": "shop.example.com",
                         "scope": "Cluster",
                         "names": {"plural": "pens", "kind": "Pen"}, "versions": [{"name": "v1", "served": true,
                          "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}""");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @Test
    void conditionsThatAreWipedOutComeBack() {
        rest.merge(CRDS + "/pens.shop.example.com/status",
                "{\"status\": {\"conditions\": [{\"type\": \"Mine\", \"status\": \"True\"}]}}");
        assertThat(rest.last.code()).isEqualTo(200);
        assertThat(rest.get(CRDS + "/pens.shop.example.com").at("/status/conditions").findValuesAsString("type"))
                .containsExactlyInAnyOrder("Mine", "NamesAccepted", "Established");
    }

    @Test
    void aDefinitionWhoseConditionsWereWipedOutCanBeDeleted() {
        rest.post(PENS, "{\"metadata\": {\"name\": \"one\", \"finalizers\": [\"example.com/held\"]}}");
        rest.delete(CRDS + "/pens.shop.example.com");
        var answer = rest.merge(CRDS + "/pens.shop.example.com/status", "{\"status\": {\"conditions\": null}}");
        assertThat(rest.last.code()).as("%s", answer).isEqualTo(200);
        rest.merge(PENS + "/one", "{\"metadata\": {\"finalizers\": null}}");
        rest.get(CRDS + "/pens.shop.example.com");
        assertThat(rest.last.code()).isEqualTo(404);
        rest.get(PENS);
        assertThat(rest.last.code()).isEqualTo(404);
    }

    @Test
    void aVersionThatIsNotServedAnyMoreIsGone() {
        rest.call("PATCH", CRDS + "/pens.shop.example.com", "application/json-patch+json", """
                [{"op": "replace", "path": "/spec/versions/0/served", "value": false},
                 {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
                 {"op": "add", "path": "/spec/versions/-", "value": {"name": "v2", "served": true, "storage": true,
                  "schema": {"openAPIV3Schema": {"type": "object"}}}}]""");
        assertThat(rest.last.code()).isEqualTo(200);
        rest.get(PENS);
        assertThat(rest.last.code()).isEqualTo(404);
        rest.get("/apis/shop.example.com/v2/pens");
        assertThat(rest.last.code()).isEqualTo(200);
    }

    /** Objects of an established definition are stored by its group, plural, scope and versions, as its kind. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /spec/scope | "Namespaced" | spec.scope: Invalid value: "Namespaced": field is immutable
            /spec/names/kind | "Quill" | spec.names.kind: Invalid value: "Quill": field is immutable
            /spec/names/plural | "quills" | spec.names.plural: Invalid value: "quills": field is immutable
            /spec/group | "other.example.com" | spec.group: Invalid value: "other.example.com": field is immutable
            /spec/versions/0/name | "v2" | status.storedVersions[0]: Invalid value: "v1": missing from spec.versions;
            """)
    void whatTheObjectsOfAnEstablishedDefinitionDependOnStays(String field, String value, String problem) {
        JsonNode answer = rest.call("PATCH", CRDS + "/pens.shop.example.com", "application/json-patch+json",
                "[{\"op\": \"replace\", \"path\": \"%s\", \"value\": %s}]".formatted(field, value));
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(answer.path("message").asString("")).contains(problem);
        rest.get(PENS);
        assertThat(rest.last.code()).isEqualTo(200);
    }

    @Test
    void aDefinitionThatWasNeverEstablishedMayChangeItsKindAndScope() {
        rest.post(CRDS, definition("quills", "shop.example.com", "Pen"));
        rest.merge(CRDS + "/quills.shop.example.com", "{\"spec\": {\"scope\": \"Namespaced\","
                + " \"names\": {\"kind\": \"Quill\", \"listKind\": \"QuillList\", \"singular\": \"quill\"}}}");
        assertThat(rest.last.code()).isEqualTo(200);
        rest.get("/apis/shop.example.com/v1/namespaces/default/quills");
        assertThat(rest.last.code()).isEqualTo(200);
    }

    /** The names of a group are free in a group whose name is its end, and in one of which it is the end. */
    @ParameterizedTest
    @ValueSource(strings = {"crd.shop.example.com", "example.com", "xshop.example.com"})
    void groupsThatEndAlikeShareNoNames(String group) {
        rest.post(CRDS, definition("pens", group, "Pen"));
        rest.get("/apis/" + group + "/v1/pens");
        assertThat(rest.last.code()).isEqualTo(200);
    }

    /** As after a deletion of the other definition. */
    @Test
    void aNameThatAnUpdateFreesGoesToTheDefinitionThatWaitsForIt() {
        rest.merge(CRDS + "/pens.shop.example.com", "{\"spec\": {\"names\": {\"shortNames\": [\"p\"]}}}");
        rest.post(CRDS, definition("pots", "shop.example.com", "Pot").replace("\"kind\"",
                "\"shortNames\": [\"p\"], \"kind\""));
        rest.get("/apis/shop.example.com/v1/pots");
        assertThat(rest.last.code()).isEqualTo(404);

        rest.merge(CRDS + "/pens.shop.example.com", "{\"spec\": {\"names\": {\"shortNames\": null}}}");

        rest.get("/apis/shop.example.com/v1/pots");
        assertThat(rest.last.code()).isEqualTo(200);
    }

    private static String definition(String plural, String group, String kind) {
        return """
                {"metadata": {"name": "%s.%s"}, "spec": {"group": "%s", "scope": "Cluster",
                 "names": {"plural": "%s", "kind": "%s"}, "versions": [{"name": "v1", "served": true,
                  "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}"""
                .formatted(plural, group, group, plural, kind);
    }

    @Test
    void aDefinitionWhoseNamesAreTakenCanBeDeleted() {
        rest.post(CRDS, """
                {"metadata": {"name": "quills.shop.example.com"}, "spec": {"group": "shop.example.com",
                 "scope": "Namespaced", "names": {"plural": "quills", "kind": "Pen"}, "versions": [{"name": "v1",
                  "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}""");
        assertThat(rest.last.code()).isEqualTo(201);
        rest.get("/apis/shop.example.com/v1/namespaces/default/quills");
        assertThat(rest.last.code()).isEqualTo(404);

        rest.delete(CRDS + "/quills.shop.example.com");
        rest.get(CRDS + "/quills.shop.example.com");
        assertThat(rest.last.code()).isEqualTo(404);
        rest.get(PENS);
        assertThat(rest.last.code()).isEqualTo(200);
    }
}
