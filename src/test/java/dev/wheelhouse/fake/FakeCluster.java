package dev.wheelhouse.fake;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;

/**
 * A cluster's objects in memory, with as much of an API server's manners as the garbage collector, the namespace controller
 * and the scheduler depend on: versions, UIDs, preconditions, finalizers, propagation policies. It writes down every request.
 * One thread.
 */
public final class FakeCluster implements KubeClient {
    private final Map<ResourceType, TreeMap<ObjectKey, ObjectNode>> objects = new LinkedHashMap<>();
    private final List<BiConsumer<ResourceType, Change>> watchers = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private final Map<String, List<ApiError>> failures = new HashMap<>();
    private final List<ResourceType> discovered = new ArrayList<>();
    private final List<String> discoveryFailures = new ArrayList<>();
    private long version = 100;
    private int uids;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /** A change of one object; {@code after} is null when it is gone. */
    public record Change(ObjectKey key, @Nullable ObjectNode before, @Nullable ObjectNode after) {}

    public FakeCluster(ResourceType... types) {
        discovered.addAll(List.of(types));
    }

    public void addType(ResourceType type) {
        discovered.add(type);
    }

    public void removeType(ResourceType type) {
        discovered.remove(type);
        Map<ObjectKey, ObjectNode> gone = objects.remove(type);
        if (gone != null) {
            gone.forEach((key, object) -> tell(type, new Change(key, object, null)));
        }
    }

    public void failDiscovery(String... groups) {
        discoveryFailures.clear();
        discoveryFailures.addAll(List.of(groups));
    }

    /** The next request of this form, such as {@code "DELETE pods default/web"}, fails. */
    public void failNext(String request, int code, String reason, String message) {
        failures.computeIfAbsent(request, k -> new ArrayList<>())
                .add(new ApiError(request, code, reason, message, null));
    }

    /** Requests since the last call, in order. */
    public List<String> takeRequests() {
        List<String> taken = List.copyOf(requests);
        requests.clear();
        return taken;
    }

    public void setNow(Instant time) {
        now = time;
    }

    /** Puts an object as it is, without a request; fills in UID and version. */
    public <T extends KubernetesObject> T put(ResourceType type, T object) {
        return read(put(type, (ObjectNode) ModelJson.tree(object)), modelOf(object));
    }

    @SuppressWarnings("unchecked")
    private static <T> Class<T> modelOf(T object) {
        return (Class<T>) object.getClass();
    }

    ObjectNode put(ResourceType type, ObjectNode object) {
        object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        ObjectNode meta = (ObjectNode) object.get("metadata");
        if (!meta.hasNonNull("uid")) {
            meta.put("uid", "uid-" + ++uids);
        }
        if (!meta.hasNonNull("creationTimestamp")) {
            meta.put("creationTimestamp", now.toString());
        }
        meta.put("resourceVersion", Long.toString(++version));
        ObjectKey key = key(object);
        ObjectNode before = store(type).put(key, object);
        tell(type, new Change(key, before, object));
        return object;
    }

    /** Takes an object away, without a request, finalizers or not. */
    public void remove(ResourceType type, ObjectKey key) {
        ObjectNode before = store(type).remove(key);
        if (before != null) {
            tell(type, new Change(key, before, null));
        }
    }

    public boolean exists(ResourceType type, ObjectKey key) {
        return store(type).containsKey(key);
    }

    public <T> T read(ResourceType type, ObjectKey key, Class<T> model) {
        return read(live(type, key, "GET"), model);
    }

    /** The JSON of an object. */
    public JsonNode json(ResourceType type, ObjectKey key) {
        return live(type, key, "GET").deepCopy();
    }

    static <T> T read(JsonNode object, Class<T> model) {
        return ModelJson.read(object, model);
    }

    static ObjectKey key(JsonNode object) {
        JsonNode meta = object.get("metadata");
        return new ObjectKey(meta.path("namespace").asString(""), meta.path("name").asString(""));
    }

    TreeMap<ObjectKey, ObjectNode> store(ResourceType type) {
        return objects.computeIfAbsent(type, k -> new TreeMap<>());
    }

    ObjectNode live(ResourceType type, ObjectKey key, String verb) {
        ObjectNode object = store(type).get(key);
        if (object == null) {
            throw new ApiError(verb + " " + type + " " + key, 404, "NotFound",
                    type + " \"" + key.name() + "\" not found", null);
        }
        return object;
    }

    void watch(BiConsumer<ResourceType, Change> watcher) {
        watchers.add(watcher);
    }

    private void tell(ResourceType type, Change change) {
        watchers.forEach(w -> w.accept(type, change));
    }

    /** Writes a request down, and throws if it was to fail. */
    void request(String request) {
        requests.add(request);
        for (Map.Entry<String, List<ApiError>> entry : failures.entrySet()) {
            if (request.startsWith(entry.getKey()) && !entry.getValue().isEmpty()) {
                throw entry.getValue().remove(0);
            }
        }
    }

    /** What the registry does with a DELETE. */
    void delete(ResourceType type, ObjectKey key, Deletion deletion) {
        ObjectNode object = live(type, key, "DELETE").deepCopy();
        ObjectNode meta = (ObjectNode) object.get("metadata");
        precondition(type, key, "uid", deletion.uid(), meta);
        precondition(type, key, "resourceVersion", deletion.resourceVersion(), meta);
        List<String> finalizers = strings(meta.get("finalizers"));
        if (deletion.propagation() != null) {
            finalizers.remove("orphan");
            finalizers.remove("foregroundDeletion");
            switch (deletion.propagation()) {
                case "Orphan" -> finalizers.add("orphan");
                case "Foreground" -> finalizers.add("foregroundDeletion");
                default -> {
                }
            }
        }
        boolean graceful = type.equals(ResourceType.PODS)
                && !object.path("spec").path("nodeName").asString("").isEmpty()
                && !Long.valueOf(0).equals(deletion.gracePeriodSeconds());
        boolean kept = !finalizers.isEmpty() || graceful || type.equals(ResourceType.NAMESPACES);
        if (!kept) {
            remove(type, key);
            return;
        }
        if (!meta.hasNonNull("deletionTimestamp")) {
            meta.put("deletionTimestamp", now.toString());
        }
        if (type.equals(ResourceType.NAMESPACES)) {
            object.withObject("status").put("phase", "Terminating");
        }
        ArrayNode array = meta.putArray("finalizers");
        finalizers.forEach(array::add);
        put(type, object);
    }

    private static void precondition(ResourceType type, ObjectKey key, String field, @Nullable String wanted,
            ObjectNode meta) {
        if (wanted != null && !wanted.equals(meta.path(field).asString(""))) {
            throw new ApiError("DELETE " + type + " " + key, 409, "Conflict", "Precondition failed: " + field
                    + " in precondition: " + wanted + ", in object meta: " + meta.path(field).asString(""), null);
        }
    }

    /** Stores what a write made, or removes what has lost its last finalizer while it was being deleted. */
    ObjectNode settle(ResourceType type, ObjectNode object) {
        JsonNode meta = object.get("metadata");
        if (meta.hasNonNull("deletionTimestamp") && strings(meta.get("finalizers")).isEmpty()
                && !type.equals(ResourceType.NAMESPACES) && !type.equals(ResourceType.PODS)) {
            remove(type, key(object));
            return object;
        }
        return put(type, object);
    }

    static List<String> strings(@Nullable JsonNode array) {
        List<String> strings = new ArrayList<>();
        if (array != null) {
            array.forEach(s -> strings.add(s.asString()));
        }
        return strings;
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new FakeResourceClient<>(this, type, model);
    }

    @Override
    public ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return new FakeResourceClient<>(this, type, PartialObjectMetadata.class);
    }

    @Override
    public Discovered discover() {
        requests.add("DISCOVER");
        return new Discovered(List.copyOf(discovered), List.copyOf(discoveryFailures));
    }

    @Override
    public String server() {
        return "fake://";
    }

    @Override
    public String serverVersion() {
        return "v1.36.0";
    }

    @Override
    public void close() {}
}
