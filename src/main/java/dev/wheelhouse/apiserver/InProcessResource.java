package dev.wheelhouse.apiserver;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.RetryAfter;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.client.CollectionQuery;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.LastApplied;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/** Calls the server for one resource type. */
final class InProcessResource<T extends KubernetesObject> implements ResourceClient<T> {
    private final ApiServer server;
    private final String userAgent;
    private final ResourceType type;
    private final Class<T> model;
    private final String accept;
    private final String acceptList;

    /**
     * @param accept the media type of objects and of the events of watches
     * @param acceptList the media type of lists
     */
    InProcessResource(ApiServer server, String userAgent, ResourceType type, Class<T> model, String accept,
            String acceptList) {
        this.server = server;
        this.userAgent = userAgent;
        this.type = type;
        this.model = model;
        this.accept = accept;
        this.acceptList = acceptList;
    }

    @Override
    public ResourceType type() {
        return type;
    }

    @Override
    public T get(ObjectKey key) {
        return decode(call("get", key.toString(), "GET", type.path(key), null, ""));
    }

    @Override
    public T getSubresource(ObjectKey key, String subresource) {
        return decode(call("get", key + "/" + subresource, "GET", type.path(key) + "/" + subresource, null, ""));
    }

    @Override
    public T create(T object) {
        ObjectKey key = ObjectKey.ofNew(object);
        return decode(call("create", key.toString(), "POST", type.path(key.namespace()),
                ModelJson.writeBytes(LastApplied.restore(object, null)), "application/json"));
    }

    @Override
    public T update(T object) {
        return put(object, "");
    }

    @Override
    public T updateStatus(T object) {
        return put(object, "/status");
    }

    @Override
    public T updateSubresource(T object, String subresource) {
        return put(object, "/" + subresource);
    }

    private T put(T object, String subresource) {
        ObjectKey key = ObjectKey.of(object);
        return decode(call("update", key + subresource, "PUT", type.path(key) + subresource,
                ModelJson.writeBytes(LastApplied.restore(object, () -> get(key))), "application/json"));
    }

    @Override
    public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
        return patch("patch", key, subresource, patchType, "", body);
    }

    @Override
    public T apply(ObjectKey key, String subresource, String fieldManager, boolean force, String body) {
        return patch("apply", key, subresource, PatchType.APPLY,
                "?force=" + force + "&fieldManager=" + encode(fieldManager), body);
    }

    private T patch(String verb, ObjectKey key, String subresource, PatchType patchType, String query, String body) {
        String path = type.path(key) + (subresource.isEmpty() ? "" : "/" + subresource) + query;
        return decode(call(verb, key.toString(), "PATCH", path, body.getBytes(StandardCharsets.UTF_8),
                patchType.contentType()));
    }

    @Override
    public Set<String> appliers(ObjectKey key) {
        return Appliers.of(Json.read(content("get " + type + " " + key,
                request("GET", type.path(key), null, "").withAccept("application/json"))));
    }

    @Override
    public void delete(ObjectKey key, Deletion deletion) {
        delete(key.toString(), type.path(key), deletion);
    }

    @Override
    public void deleteCollection(String namespace, Deletion deletion) {
        delete("in " + namespace, type.path(namespace), deletion);
    }

    private void delete(String what, String path, Deletion deletion) {
        call("delete", what, "DELETE", path, ModelJson.writeBytes(deletion.options()), "application/json");
    }

    @Override
    public void createSubresource(ObjectKey key, String subresource, Object body) {
        call("create " + subresource + " of", key.toString(), "POST", type.path(key) + "/" + subresource,
                ModelJson.writeBytes(body), "application/json");
    }

    @Override
    public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
        String path = type.path(namespace) + query(CollectionQuery.list(labels, fields, options));
        JsonNode list = Json.read(
                content("list " + type + " " + namespace, request("GET", path, null, "").withAccept(acceptList)));
        List<T> items = new ArrayList<>();
        List<DecodeFailure> skipped = new ArrayList<>();
        for (JsonNode item : list.path("items")) {
            if (item instanceof ObjectNode object) {
                object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
            }
            try {
                items.add(read(item));
            } catch (JacksonException e) {
                skipped.add(failure(item, e));
            }
        }
        String token = Json.text(list, "metadata", "continue");
        return new ListPage<>(items, Json.text(list, "metadata", "resourceVersion"), token.isEmpty() ? null : token,
                skipped);
    }

    DecodeFailure failure(JsonNode object, JacksonException e) {
        String namespace = Json.text(object, "metadata", "namespace");
        String name = Json.text(object, "metadata", "name");
        ObjectKey key = name.isEmpty() ? null : ObjectKey.of(namespace, name);
        String message = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        return new DecodeFailure(type + " " + (key == null ? "without a name" : key), "", message, key);
    }

    static String query(Map<String, String> parameters) {
        StringBuilder text = new StringBuilder();
        parameters.forEach((name, value) -> text.append(text.isEmpty() ? '?' : '&').append(name).append('=')
                .append(encode(value)));
        return text.toString();
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private T decode(byte[] body) {
        return read(Json.read(body));
    }

    /** Drops {@code metadata.managedFields}, as the HTTP client does. */
    T read(JsonNode object) {
        if (object.get("metadata") instanceof ObjectNode meta) {
            meta.remove("managedFields");
        }
        return ModelJson.read(object, model);
    }

    private byte[] call(String verb, String what, String method, String path, byte @Nullable [] body,
            String contentType) {
        return content(verb + " " + type + " " + what, request(method, path, body, contentType));
    }

    private byte[] content(String tried, ApiRequest request) {
        return content(server, tried, request);
    }

    /** The body of a successful answer. */
    static byte[] content(ApiServer server, String tried, ApiRequest request) {
        ApiResponse answer = server.handle(request);
        if (!(answer instanceof ApiResponse.Content content)) {
            throw new IllegalStateException(request.method() + " " + request.path() + " answered with a watch");
        }
        if (content.code() >= 300) {
            throw error(tried, content.contentType().startsWith("application/json")
                    ? Json.read(content.body())
                    : Json.object().put("code", content.code()).put("message",
                            new String(content.body(), StandardCharsets.UTF_8)));
        }
        return content.body();
    }

    private ApiRequest request(String method, String path, byte @Nullable [] body, String contentType) {
        return ApiRequest.of(method, path, contentType, body).withUserAgent(userAgent).withAccept(accept);
    }

    static ApiError error(String tried, JsonNode status) {
        long retry = Json.number(status, 0, "details", "retryAfterSeconds");
        return new ApiError(tried, (int) Json.number(status, 0, "code"), Json.text(status, "reason"),
                Json.text(status, "message"), RetryAfter.ofSeconds(retry));
    }

    @Override
    public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
        return new Collection<>(this, namespace, labels, fields);
    }

    private ApiResponse watch(String namespace, Map<String, String> query) {
        return server.handle(request("GET", type.path(namespace) + query(query), null, ""));
    }

    /** The objects that match selectors, in one namespace or in all. */
    private record Collection<T extends KubernetesObject>(InProcessResource<T> resource, String namespace,
            LabelSelector labels, FieldSelector fields) implements ListerWatcher<T> {
        @Override
        public ResourceType type() {
            return resource.type;
        }

        @Override
        public String selector() {
            return CollectionQuery.describe(labels, fields);
        }

        @Override
        public ListPage<T> list(ListOptions options) {
            return resource.list(namespace, labels, fields, options);
        }

        @Override
        public WatchStream<T> watch(WatchOptions options) {
            String tried = "watch " + type() + " " + namespace;
            return switch (resource.watch(namespace, CollectionQuery.watch(labels, fields, options))) {
                case ApiResponse.Content content -> throw error(tried, Json.read(content.body()));
                case ApiResponse.Stream stream -> new InProcessWatch<>(stream.feed(), resource, tried);
            };
        }
    }
}
