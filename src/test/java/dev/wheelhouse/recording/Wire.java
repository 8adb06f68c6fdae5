package dev.wheelhouse.recording;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;

/** The requests of users and nodes to an API server, a real one or the embedded one. */
interface Wire {
    /** A response. */
    record Answer(int code, JsonNode body) {
        boolean succeeded() {
            return code >= 200 && code < 300;
        }

        /** @throws AssertionError if the request was refused */
        JsonNode expected() {
            if (!succeeded()) {
                throw new AssertionError("answered " + code + ": " + body);
            }
            return body;
        }
    }

    /** @param contentType the media type of the body */
    Answer call(String method, String path, String contentType, @Nullable JsonNode body);

    default Answer get(String path) {
        return call("GET", path, "", null);
    }

    default Answer post(String path, JsonNode body) {
        return call("POST", path, "application/json", body);
    }

    /** @param type json, merge or strategic */
    default Answer patch(String path, String type, JsonNode body) {
        return call("PATCH", path, "application/" + switch (type) {
            case "json" -> "json-patch+json";
            case "merge" -> "merge-patch+json";
            case "strategic" -> "strategic-merge-patch+json";
            default -> throw new IllegalArgumentException("type of a patch: " + type);
        }, body);
    }

    default Answer delete(String path, @Nullable JsonNode options) {
        return call("DELETE", path, "application/json", options);
    }

    /** The embedded server, without a socket. */
    static Wire to(RestServer server) {
        return (method, path, contentType, body) -> {
            ApiResponse.Content content = (ApiResponse.Content) server.handle(ApiRequest
                    .of(method, path, contentType, body == null ? null : Json.bytes(body)).withUserAgent("user"));
            return new Answer(content.code(), Json.read(content.body()));
        };
    }
}
