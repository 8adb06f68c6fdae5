package dev.wheelhouse.client;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

class AppliersTest {
    private static final String FIELDS = """
            {"f:metadata": {"f:labels": {"f:app": {}}, "f:ownerReferences": {"k:{\\"uid\\":\\"1\\"}": {}},
              "f:finalizers": {"v:\\"a.example/b\\"": {}}},
             "f:spec": {"f:replicas": {}, "f:selector": {}, "f:template": {"f:spec": {"f:containers": {
               "k:{\\"name\\":\\"web\\"}": {".": {}, "f:name": {}, "f:args": {}, "f:ports": {
                 "k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}": {".": {}, "f:containerPort": {}}}},
               "k:{\\"name\\":\\"log\\"}": {".": {}, "f:name": {}, "f:image": {}}}}}}}""";
    private static final String WANTED = """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "n", "namespace": "d",
              "labels": {"app": "x"}, "ownerReferences": [{"uid": "1", "name": "blog"}], "finalizers": ["a.example/b"]},
             "spec": {"replicas": 2, "selector": {"app": "x"}, "template": {"spec": {"containers": [
               {"name": "web", "args": ["a", "b"], "ports": [{"containerPort": 80}]},
               {"name": "log", "image": "l"}]}}}}""";
    private static final String STORED = """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "n", "namespace": "d", "uid": "7",
              "labels": {"app": "x", "of": "others"}, "ownerReferences": [{"name": "blog", "uid": "1"}],
              "finalizers": ["o.example/x", "a.example/b"]},
             "spec": {"replicas": 2, "selector": {"app": "x"}, "template": {"spec": {"containers": [
               {"name": "web", "args": ["a", "b"], "ports": [{"containerPort": 80, "protocol": "TCP"}]},
               {"name": "injected"}, {"name": "log", "image": "l", "imagePullPolicy": "Always"}]}}}}""";

    private static JsonNode json(String text) {
        return ModelJson.read(text, JsonNode.class);
    }

    private static boolean owns(String operation, String wanted, String stored) {
        return Appliers.of(json("""
                {"metadata": {"managedFields": [{"manager": "me", "operation": "%s", "apiVersion": "apps/v1",
                "fieldsV1": %s}, {"manager": "me", "operation": "Apply", "subresource": "status", "fieldsV1": {}}]}}"""
                .formatted(operation, FIELDS))).owns("me", json(wanted), json(stored));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nothing changed | |  | true
            the value of a single field, which others compare | "replicas": 2 | "replicas": 3 | true
            a field is not wanted any more | "replicas": 2, | | false
            another field is wanted | "replicas": 2, | "replicas": 2, "b": 1, | false
            another label is wanted | "labels": { | "labels": {"b": "c", | false
            a list that is owned as a whole has another order | "a", "b" | "b", "a" | false
            a list that is owned as a whole is shorter | "a", "b" | "a" | false
            a map that is owned as a whole has another value | "selector": {"app": "x" | "selector": {"app": "y" | false
            another item is wanted | [{"uid": "1" | [{"uid":"2"}, {"uid": "1" | false
            an item is not wanted any more | , {"name": "log", "image": "l"} | | false
            an item has another name | {"name": "log" | {"name": "logs" | false
            the protocol, which the server had filled in | ort": 80 | ort": 80, "protocol": "TCP" | false
            another version of the API | apps/v1 | apps/v2 | false
            """)
    void anApplyIsSuperfluousOnlyIfTheManagerOwnsJustTheWantedFields(String change, String from, String to,
            boolean owned) {
        String wanted = from == null ? WANTED : WANTED.replaceAll("\\s+", " ").replace(from, to == null ? "" : to);
        assertThat(owns("Apply", wanted, STORED)).as(change).isEqualTo(owned);
    }

    @ParameterizedTest
    @CsvSource({"Update", "Apply"})
    void onlyAppliesCount(String operation) {
        assertThat(owns(operation, WANTED, STORED)).isEqualTo(operation.equals("Apply"));
    }
}
