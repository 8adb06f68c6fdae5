package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

/** A client of its own server, for one request after the other. */
final class RestClient {
    static final String NS = "/api/v1/namespaces/default/";

    final ManualClock clock = new ManualClock();
    final ObjectStore store;
    final RestServer rest;
    /** The last answer. */
    ApiResponse.Content last;

    RestClient() {
        this(Security.none());
    }

    RestClient(Security security) {
        this(security, RuntimeConfig.standard());
    }

    RestClient(Security security, RuntimeConfig apis) {
        store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
        rest = new RestServer(store, clock, new SplittableRandom(1), security,
                new ServerInfo(() -> "", () -> "", apis));
        last = content(ApiRequest.of("GET", "/version", null));
    }

    /** A client of another server with the same store. */
    RestClient(ObjectStore store) {
        this.store = store;
        rest = new RestServer(store, clock, new SplittableRandom(1));
        last = content(ApiRequest.of("GET", "/version", null));
    }

    ApiResponse.Content content(ApiRequest request) {
        return (ApiResponse.Content) rest.handle(request);
    }

    WatchFeed watch(String path, String accept) {
        return ((ApiResponse.Stream) rest.handle(ApiRequest.of("GET", path, null).withAccept(accept))).feed();
    }

    JsonNode call(String method, String path, String contentType, String body) {
        last = content(ApiRequest.of(method, path, contentType, body.getBytes(StandardCharsets.UTF_8)));
        return last.contentType().startsWith("text/plain") ? Json.object() : Json.read(last.body());
    }

    JsonNode post(String path, String body) {
        return call("POST", path, "application/json", body);
    }

    /** Sends a POST whose body is YAML. */
    JsonNode create(String path, String yaml) {
        return call("POST", path, "application/yaml", yaml);
    }

    JsonNode put(String path, String body) {
        return call("PUT", path, "application/json", body);
    }

    JsonNode get(String path) {
        return call("GET", path, "", "");
    }

    JsonNode delete(String path) {
        return call("DELETE", path, "", "");
    }

    JsonNode merge(String path, String body) {
        return call("PATCH", path, "application/merge-patch+json", body);
    }

    JsonNode apply(String path, String body) {
        return call("PATCH", path, "application/apply-patch+yaml", body);
    }
}
