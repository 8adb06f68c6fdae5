package dev.wheelhouse.apiserver.rest;

import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** A CustomResourceDefinition cannot replace a built-in resource. */
class BuiltInNamesTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    private static final String BINDINGS_NAME = "clusterrolebindings.rbac.authorization.k8s.io";

    private final RestClient client = new RestClient();

    private static String definition(String name, String group, String plural, String kind, String version) {
        return """
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "%s", "annotations": {"api-approved.kubernetes.io": "https://example.com/1"}},
                 "spec": {"group": "%s", "scope": "Cluster", "names": {"plural": "%s", "kind": "%s"}, "versions": [
                  {"name": "%s", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                    "x-kubernetes-preserve-unknown-fields": true}}}]}}"""
                .formatted(name, group, plural, kind, version);
    }

    private int bindings() {
        return client.get(BINDINGS).path("items").size();
    }

    @ParameterizedTest
    @CsvSource({"clusterrolebindings.rbac.authorization.k8s.io,rbac.authorization.k8s.io,clusterrolebindings,v1",
            "clusterrolebindings.rbac.authorization.k8s.io,rbac.authorization.k8s.io,clusterrolebindings,v7",
            "clusterrolebindings.rbac.authorization.k8s.io,authorization.k8s.io,clusterrolebindings.rbac,v1",
            "events.events.k8s.io,events.k8s.io,events,v1", "deployments.apps,apps,deployments,v1",
            "things.apps,apps,things,v1", "pods.,'',pods,v1"})
    void aDefinitionWithTheNameOfABuiltInResourceIsRefused(String name, String group, String plural, String version) {
        int before = bindings();
        String body = definition(name, group, plural, "Thing", version);

        client.post(CRDS, body);
        assertThat(client.last.code()).isEqualTo(422);
        client.put(CRDS + "/" + name, body);
        assertThat(client.last.code()).isIn(404, 422);
        client.apply(CRDS + "/" + name + "?fieldManager=f", body);
        assertThat(client.last.code()).isEqualTo(422);
        assertThat(client.get(CRDS).path("items")).isEmpty();
        assertThat(bindings()).isEqualTo(before);
    }

    @Test
    void theRefusalNamesTheRemedy() {
        JsonNode refused = client.post(CRDS,
                definition(BINDINGS_NAME, "rbac.authorization.k8s.io", "clusterrolebindings", "X", "v1"));

        assertThat(Json.text(refused, "message")).contains(BINDINGS_NAME, "no definition can replace",
                "choose another name or another group");
    }

    @Test
    void aDefinitionInAGroupOfTheServerServesNoneOfItsVersions() {
        client.post(CRDS, definition("things.rbac.authorization.k8s.io", "rbac.authorization.k8s.io", "things",
                "ClusterRoleBinding", "v1"));
        assertThat(client.last.code()).isEqualTo(201);

        client.get("/apis/rbac.authorization.k8s.io/v1/things");
        assertThat(client.last.code()).isEqualTo(404);
        assertThat(bindings()).isPositive();
        client.delete(CRDS + "/things.rbac.authorization.k8s.io");
        assertThat(client.last.code()).isEqualTo(200);
        assertThat(bindings()).isPositive();
    }

    @Test
    void aCustomResourceNamedNamespacesIsNotReachedByTheRightsOfANamespace() {
        String path = "/apis/example.com/v1/namespaces";
        client.post(CRDS, definition("namespaces.example.com", "example.com", "namespaces", "Space", "v1"));
        assertThat(client.last.code()).isEqualTo(201);
        client.post(path, "{\"metadata\": {\"name\": \"team\"}}");
        assertThat(client.last.code()).isEqualTo(201);

        client.get(path);
        assertThat(client.last.code()).isEqualTo(200);
        client.get(path + "/team");
        assertThat(client.last.code()).as("authorization takes the name for a namespace").isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.b", "Orders", "a/b", "1x", "a_b", "-a"})
    void aPluralIsALabelSoThatItAndItsGroupMeanOneResource(String plural) {
        client.post(CRDS, definition(plural + ".example.com", "example.com", plural, "Thing", "v1"));

        assertThat(client.last.code()).isEqualTo(422);
    }

    @Test
    void aDefinitionOfAnOlderDirectoryIsNotServedAndItsDeletionLeavesTheBuiltInObjects() {
        ManualClock clock = new ManualClock();
        ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
        RestServer first = new RestServer(store, clock, new SplittableRandom(1));
        int before = items(first);
        ObjectNode old = (ObjectNode) Json
                .read(definition(BINDINGS_NAME, "rbac.authorization.k8s.io", "clusterrolebindings", "Thing", "v1"));
        ((ObjectNode) old.get("metadata")).put("uid", "u");
        old.putObject("status").putArray("conditions").addObject().put("type", "Established").put("status", "True");
        store.create("customresourcedefinitions.apiextensions.k8s.io", old);

        RestServer rest = new RestServer(store, clock, new SplittableRandom(1));
        assertThat(Json.text(call(rest, "GET", BINDINGS), "kind")).isEqualTo("ClusterRoleBindingList");
        assertThat(items(rest)).isEqualTo(before);
        call(rest, "DELETE", CRDS + "/" + BINDINGS_NAME);
        assertThat(call(rest, "GET", CRDS).path("items")).isEmpty();
        assertThat(items(rest)).isEqualTo(before);
    }

    private static JsonNode call(RestServer rest, String method, String path) {
        return Json.read(((ApiResponse.Content) rest.handle(ApiRequest.of(method, path, null))).body());
    }

    private static int items(RestServer rest) {
        return call(rest, "GET", BINDINGS).path("items").size();
    }
}
