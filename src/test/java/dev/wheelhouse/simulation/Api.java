package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;

/** Raw requests of users and nodes in the namespace {@code default}. */
final class Api {
    private static final String NAMESPACE = "/namespaces/default/";
    private final RestServer rest;

    Api(RestServer rest) {
        this.rest = rest;
    }

    /** A response. */
    record Answer(int code, JsonNode body) {}

    Answer call(String method, String path, String contentType, @Nullable JsonNode body) {
        ApiRequest request = ApiRequest.of(method, path, contentType, body == null ? null : Json.bytes(body))
                .withUserAgent("user");
        ApiResponse.Content content = (ApiResponse.Content) rest.handle(request);
        return new Answer(content.code(), Json.read(content.body()));
    }

    /**
     * The path of an object. The kind may have any case, the name may contain a subresource such as {@code web/scale};
     * an empty name means the collection.
     */
    static String path(String kind, String name) {
        String base = switch (kind.toLowerCase(java.util.Locale.ROOT)) {
            case "deployment" -> "/apis/apps/v1" + NAMESPACE + "deployments";
            case "replicaset" -> "/apis/apps/v1" + NAMESPACE + "replicasets";
            case "pod" -> "/api/v1" + NAMESPACE + "pods";
            case "event" -> "/api/v1" + NAMESPACE + "events";
            default -> throw new IllegalArgumentException("kind: " + kind);
        };
        return name.isEmpty() ? base : base + "/" + name;
    }

    Answer patch(String kind, String name, String type, JsonNode patch) {
        return call("PATCH", path(kind, name), "application/"
                + (type.equals("json") ? "json-patch" : type.equals("merge") ? "merge-patch" : "strategic-merge-patch")
                + "+json", patch);
    }

    JsonNode get(String kind, String name) {
        Answer answer = call("GET", path(kind, name), "", null);
        if (answer.code() != 200) {
            throw new AssertionError("get " + kind + " " + name + ": " + answer);
        }
        return answer.body();
    }

    List<JsonNode> list(String kind) {
        List<JsonNode> items = new ArrayList<>();
        get(kind, "").path("items").forEach(items::add);
        return items;
    }

    void bind(String pod, String node) {
        Answer answer = call("POST", path("pod", pod) + "/binding", "application/json",
                Json.read(
                        """
                                {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
                                 "target": {"kind": "Node", "name": "%s"}}
                                """
                                .formatted(pod, node)));
        expect(answer);
    }

    void podStatus(String pod, String status) {
        expect(patch("pod", pod + "/status", "strategic", Json.read("{\"status\": " + status + "}")));
    }

    /** Ends a pod, as its kubelet does when the containers have stopped. */
    void finalizePod(String pod) {
        expect(call("DELETE", path("pod", pod), "application/json", Json.read("{\"gracePeriodSeconds\": 0}")));
    }

    static void expect(Answer answer) {
        if (answer.code() >= 300) {
            throw new AssertionError(answer.toString());
        }
    }
}
