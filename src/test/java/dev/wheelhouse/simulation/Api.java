package dev.wheelhouse.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.facts.BuiltInResource;

/** Raw requests of users and nodes in one namespace. Kinds may be written in any case. */
final class Api {
    private static final Map<String, ResourceType> TYPES = types();
    private final RestServer rest;
    private final Contents contents;
    private final String namespace;

    /** Requests in the namespace {@code default}. */
    Api(ApiServer server) {
        this(server, "default");
    }

    Api(ApiServer server, String namespace) {
        this(server.rest(), new Contents(server.store()), namespace);
    }

    private Api(RestServer rest, Contents contents, String namespace) {
        this.rest = rest;
        this.contents = contents;
        this.namespace = namespace;
    }

    /** Requests in another namespace. */
    Api in(String other) {
        return new Api(rest, contents, other);
    }

    /** The types of this API by kind, each in its first version. */
    private static Map<String, ResourceType> types() {
        Map<String, ResourceType> types = new HashMap<>();
        BuiltInResource.all().forEach(r -> types.putIfAbsent(r.type().kind().toLowerCase(Locale.ROOT), r.type()));
        return Map.copyOf(types);
    }

    /** The type of a kind. */
    static ResourceType type(String kind) {
        ResourceType type = TYPES.get(kind.toLowerCase(Locale.ROOT));
        if (type == null) {
            throw new IllegalArgumentException("kind: " + kind);
        }
        return type;
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
     * The path of an object in the namespace {@code default}. The name may contain a subresource such as
     * {@code web/scale}; an empty name means the collection.
     */
    static String path(String kind, String name) {
        return path("default", kind, name);
    }

    private static String path(String namespace, String kind, String name) {
        String base = type(kind).path(namespace);
        return name.isEmpty() ? base : base + "/" + name;
    }

    Answer patch(String kind, String name, String type, JsonNode patch) {
        return call("PATCH", path(namespace, kind, name), "application/"
                + (type.equals("json") ? "json-patch" : type.equals("merge") ? "merge-patch" : "strategic-merge-patch")
                + "+json", patch);
    }

    /** Makes a strategic merge patch. */
    void patch(String kind, String name, String patch) {
        expect(patch(kind, name, "strategic", Json.read(patch)));
    }

    void create(String kind, String manifest) {
        expect(tryToCreate(kind, manifest));
    }

    /** Creates an object, if the server lets it in. */
    Answer tryToCreate(String kind, String manifest) {
        return call("POST", path(namespace, kind, ""), "application/json", Json.read(manifest));
    }

    void delete(String kind, String name, String policy) {
        expect(call("DELETE", path(namespace, kind, name), "application/json",
                Json.read("{\"propagationPolicy\": \"" + policy + "\"}")));
    }

    /** An object; null if it does not exist. Nobody may change it. */
    @Nullable
    JsonNode find(String kind, String name) {
        return list(kind).stream().filter(o -> ObjectFields.name(o).equals(name)).findFirst().orElse(null);
    }

    JsonNode get(String kind, String name) {
        JsonNode object = find(kind, name);
        if (object == null) {
            throw new AssertionError("there is no " + kind + " " + name);
        }
        return object;
    }

    /** The objects of a kind. Nobody may change them. */
    List<JsonNode> list(String kind) {
        return contents.list(type(kind), namespace, JsonNode.class);
    }

    /** The pods with the label of a workload. */
    List<JsonNode> podsOf(String workload) {
        return list("pod").stream().filter(p -> app(p).equals(workload)).toList();
    }

    /** The value of the label {@code app}; empty if there is none. */
    static String app(JsonNode object) {
        return object.path("metadata").path("labels").path("app").asString("");
    }

    /** Whether the status of an object tells that its controller has seen the object's last change. */
    static boolean isObserved(JsonNode object) {
        return object.path("metadata").path("generation").asLong(0) == object.path("status").path("observedGeneration")
                .asLong(-1);
    }

    void bind(String pod, String node) {
        Answer answer = call("POST", path(namespace, "pod", pod) + "/binding", "application/json",
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

    Answer evict(String pod) {
        return call("POST", path(namespace, "pod", pod) + "/eviction", "application/json", Json.read(
                "{\"apiVersion\": \"policy/v1\", \"kind\": \"Eviction\", \"metadata\": {\"name\": \"" + pod
                        + "\"}}"));
    }

    /** Ends a pod, as its kubelet does when the containers have stopped. */
    void finalizePod(String pod) {
        expect(call("DELETE", path(namespace, "pod", pod), "application/json",
                Json.read("{\"gracePeriodSeconds\": 0}")));
    }

    static void expect(Answer answer) {
        if (answer.code() >= 300) {
            throw new AssertionError(answer.toString());
        }
    }
}
