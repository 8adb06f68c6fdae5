package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes patches of a stored object: JSON, merge and strategic merge patches, and applied configurations. A patch is
 * accepted or refused. Its result is valid: writing it back changes nothing. Repeating a merge patch or an apply
 * changes nothing either.
 */
public final class PatchTarget implements FuzzTarget {
    private static final Map<String, String> OBJECTS = new TreeMap<>(Map.of(
            "1/api/v1/namespaces/default/pods",
            """
                    {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"containers": [{"name": "c",
                     "image": "i",
                    "ports": [{"containerPort": 80}], "env": [{"name": "E", "value": "v"}]}, {"name": "d",
                     "image": "i"}],
                    "tolerations": [{"operator": "Exists"}]}}""",
            "2/apis/apps/v1/namespaces/default/deployments",
            """
                    {"metadata": {"name": "web", "finalizers": ["e.io/a", "e.io/b"]}, "spec": {"replicas": 2,
                     "selector":
                    {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
                     "spec": {"containers":
                    [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}], "volumes": [{"name": "v",
                     "emptyDir": {}}]}}}}""",
            "3/api/v1/namespaces/default/services",
            """
                    {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"name": "a",
                     "port": 80},
                    {"name": "b", "port": 81, "targetPort": "http"}]}}""",
            "4/api/v1/namespaces/default/configmaps", """
                    {"metadata": {"name": "web", "annotations": {"a": "b"}}, "data": {"k": "v", "l": "w"}}""",
            "5/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            """
                    {"metadata": {"name": "as.e.io"}, "spec": {"group": "e.io", "scope": "Namespaced",
                     "names": {"plural": "as",
                    "singular": "a", "kind": "A", "listKind": "AList"}, "versions": [{"name": "v1", "served": true,
                     "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
                     "properties":
                    {"n": {"type": "integer", "minimum": 0, "default": 1}, "s": {"type": "string", "maxLength": 5},
                    "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                     "items":
                    {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"},
                     "v": {"type": "integer"}}}},
                    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}}}]}}""",
            "6/apis/e.io/v1/namespaces/default/as",
            """
                    {"apiVersion": "e.io/v1", "kind": "A", "metadata": {"name": "web"}, "spec": {"n": 2, "s": "t",
                     "l": [{"k": "a",
                    "v": 1}, {"k": "b"}], "set": ["x"], "any": {"o": [1, {"p": null}]}}}"""));

    private final FuzzedServer server = new FuzzedServer(false, OBJECTS);

    @Override
    public void run(byte[] input) {
        ApiRequest text;
        try {
            text = RequestText.parse(input);
        } catch (StatusException e) {
            return;
        }
        ApiRequest request = new ApiRequest("PATCH", text.path(), text.query(), text.accept(), text.contentType(), "",
                text.body(), text.credentials(), text.user());
        try {
            ApiResponse.Content answer = server.ask(request);
            if (answer.code() / 100 == 2 && !request.query().has("dryRun")) {
                judge(request, text.contentType());
            }
        } finally {
            if (server.isChanged()) {
                server.reset();
            }
        }
    }

    private void judge(ApiRequest request, String media) {
        ApiResponse.Content read = server.ask(ApiRequest.of("GET", request.path(), null));
        if (read.code() != 200) {
            // The patch removed the last finalizer of an object that was being deleted.
            return;
        }
        ApiResponse.Content put = server.ask(ApiRequest.of("PUT", request.path(), read.body()));
        assertThat(put.code()).as("written back: %s", new String(put.body(), StandardCharsets.UTF_8)).isEqualTo(200);
        assertThat(version(put)).as("written back").isEqualTo(version(read));
        if ((media.startsWith("application/merge-patch") || media.startsWith("application/apply-patch"))
                && !namesVersion(request.body())) {
            ApiResponse.Content again = server.ask(request);
            assertThat(again.code()).as("again: %s", new String(again.body(), StandardCharsets.UTF_8)).isEqualTo(200);
            ApiResponse.Content after = server.ask(ApiRequest.of("GET", request.path(), null));
            assertThat(without(after)).as("sent again").isEqualTo(without(read));
        }
    }

    /** Whether the patch may name a version of the object, so that its repetition may be refused. */
    private static boolean namesVersion(byte[] body) {
        return new String(body, StandardCharsets.UTF_8).matches("(?s).*(esource|\\\\u|generation).*");
    }

    private static String version(ApiResponse.Content answer) {
        return Json.text(Json.read(answer.body()), "metadata", "resourceVersion");
    }

    private static JsonNode without(ApiResponse.Content answer) {
        JsonNode object = Json.read(answer.body());
        if (object.get("metadata") instanceof ObjectNode metadata) {
            metadata.remove(java.util.List.of("managedFields", "resourceVersion"));
        }
        return object;
    }
}
