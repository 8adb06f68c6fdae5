package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    void aVersionThatIsRenamedIsNoLongerServed() {
        rest.call("PATCH", CRDS + "/pens.shop.example.com", "application/json-patch+json",
                "[{\"op\": \"replace\", \"path\": \"/spec/versions/0/name\", \"value\": \"v2\"}]");
        assertThat(rest.last.code()).isEqualTo(200);
        rest.get(PENS);
        assertThat(rest.last.code()).isEqualTo(404);
        rest.get("/apis/shop.example.com/v2/pens");
        assertThat(rest.last.code()).isEqualTo(200);
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
