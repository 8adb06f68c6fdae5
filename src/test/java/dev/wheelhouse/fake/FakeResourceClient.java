package dev.wheelhouse.fake;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.fake.FakeCluster.Request;

/** The client of one type of a {@link FakeCluster}. */
final class FakeResourceClient<T extends KubernetesObject> implements ResourceClient<T> {
    private static final long DEFAULT_GRACE_SECONDS = 30;

    private final FakeCluster cluster;
    private final ResourceType type;
    private final Class<T> model;

    FakeResourceClient(FakeCluster cluster, ResourceType type, Class<T> model) {
        this.cluster = cluster;
        this.type = type;
        this.model = model;
    }

    @Override
    public ResourceType type() {
        return type;
    }

    T typed(JsonNode object) {
        return ModelJson.read(object, model);
    }

    private <R> R call(String verb, String subresource, ObjectKey key, String detail, Supplier<R> work) {
        return cluster.call(new Request(verb, type, subresource, key, detail), work);
    }

    private ApiError conflict(String verb, ObjectKey key, String message) {
        return new ApiError(verb + " " + type + " " + key, 409, "Conflict", message, null);
    }

    @Override
    public T get(ObjectKey key) {
        return call("get", "", key, "", () -> typed(cluster.live(type, key, "get")));
    }

    @Override
    public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
        FakeListerWatcher<T> selection = new FakeListerWatcher<>(cluster, this, namespace, labels, fields);
        return call("list", "", new ObjectKey(namespace, "*"), "", () -> new ListPage<>(
                cluster.store(type).values().stream().filter(selection::selects).map(this::typed).toList(),
                cluster.revision(), null, List.of()));
    }

    @Override
    public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
        return new FakeListerWatcher<>(cluster, this, namespace, labels, fields);
    }

    @Override
    public T create(T object) {
        ObjectNode tree = (ObjectNode) ModelJson.tree(object);
        ObjectNode meta = tree.withObject("/metadata");
        if (!meta.hasNonNull("name")) {
            meta.put("name", cluster.generateName(meta.path("generateName").asString("")));
        }
        ObjectKey key = new ObjectKey(meta.path("namespace").asString(""), meta.path("name").asString());
        return call("create", "", key, "", () -> {
            if (cluster.exists(type, key)) {
                throw new ApiError("create " + type + " " + key, 409, "AlreadyExists", "already exists", null);
            }
            meta.remove(List.of("uid", "creationTimestamp"));
            meta.put("generation", 1);
            if (type.equals(ResourceType.PODS) && !tree.has("status")) {
                tree.putObject("status").put("phase", "Pending");
            }
            return typed(cluster.put(type, tree));
        });
    }

    @Override
    public T update(T object) {
        return update(object, "", (live, next) -> {
            next.remove("status");
            if (live.has("status")) {
                next.set("status", live.get("status"));
            }
            return next;
        });
    }

    /** Also updates the annotations, as a status update on a real API server does. */
    @Override
    public T updateStatus(T object) {
        return update(object, "status", (live, next) -> {
            ObjectNode merged = live.deepCopy();
            merged.set("status", next.get("status"));
            JsonNode annotations = next.path("metadata").get("annotations");
            if (annotations == null) {
                merged.withObject("/metadata").remove("annotations");
            } else {
                merged.withObject("/metadata").set("annotations", annotations);
            }
            return merged;
        });
    }

    /** Removes a namespace with its last finalizer. */
    @Override
    public T updateSubresource(T object, String subresource) {
        T answer = update(object, subresource, (live, next) -> next);
        ObjectKey key = ObjectKey.of(object);
        JsonNode json = cluster.json(type, key);
        if (subresource.equals("finalize") && json.path("metadata").hasNonNull("deletionTimestamp")
                && json.path("spec").path("finalizers").isEmpty()
                && json.path("metadata").path("finalizers").isEmpty()) {
            cluster.remove(type, key);
        }
        return answer;
    }

    private interface Change {
        ObjectNode apply(ObjectNode live, ObjectNode next);
    }

    private T update(T object, String subresource, Change change) {
        ObjectKey key = ObjectKey.of(object);
        return call("update", subresource, key, "", () -> {
            ObjectNode live = cluster.live(type, key, "update");
            ObjectNode next = (ObjectNode) ModelJson.tree(object);
            JsonNode version = next.path("metadata").path("resourceVersion");
            if (version.isString() && !version.equals(live.path("metadata").get("resourceVersion"))) {
                throw conflict("update", key, "the object has been modified");
            }
            return settle(live, change.apply(live, next));
        });
    }

    @Override
    public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
        return call("patch", subresource, key, body, () -> {
            ObjectNode live = cluster.live(type, key, "patch");
            JsonNode patch = ModelJson.mapperForModels().readTree(body);
            precondition("patch", key, "uid", patch.path("metadata").path("uid").asString(null), live);
            precondition("patch", key, "resourceVersion",
                    patch.path("metadata").path("resourceVersion").asString(null), live);
            return settle(live, switch (patchType) {
                case MERGE -> Patches.merge(live, patch);
                case STRATEGIC_MERGE -> Patches.strategicMerge(live, patch, schema(key));
                case JSON -> Patches.json(live, patch);
                case APPLY -> throw new UnsupportedOperationException("server-side apply");
            });
        });
    }

    private TypeSchema schema(ObjectKey key) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        if (schema == null) {
            throw new ApiError("patch " + type + " " + key, 415, "UnsupportedMediaType",
                    "custom resources have no strategic merge patch", null);
        }
        return schema;
    }

    private void precondition(String verb, ObjectKey key, String field, @Nullable String wanted, JsonNode live) {
        String actual = live.path("metadata").path(field).asString("");
        if (wanted != null && !wanted.equals(actual)) {
            throw conflict(verb, key,
                    "Precondition failed: " + field + " in precondition: " + wanted + ", in object meta: " + actual);
        }
    }

    /** Stores the result of a write, or removes an object whose deletion waited for its last finalizer. */
    private T settle(ObjectNode live, ObjectNode next) {
        JsonNode meta = next.path("metadata");
        if (meta.hasNonNull("deletionTimestamp") && meta.path("finalizers").isEmpty()
                && !type.equals(ResourceType.NAMESPACES) && !type.equals(ResourceType.PODS)) {
            cluster.remove(type, ObjectKey.of(typed(next)));
            return typed(next);
        }
        if (!Objects.equals(live.get("spec"), next.get("spec"))) {
            next.withObject("/metadata").put("generation", meta.path("generation").asLong(0) + 1);
        }
        return typed(cluster.put(type, next));
    }

    @Override
    public void delete(ObjectKey key, Deletion deletion) {
        List<String> options = new ArrayList<>();
        if (deletion.propagation() != null) {
            options.add(deletion.propagation());
        }
        if (deletion.uid() != null) {
            options.add("uid=" + deletion.uid());
        }
        if (deletion.resourceVersion() != null) {
            options.add("rv");
        }
        call("delete", "", key, String.join(" ", options), () -> {
            remove(key, deletion);
            return true;
        });
    }

    private void remove(ObjectKey key, Deletion deletion) {
        ObjectNode object = cluster.live(type, key, "delete").deepCopy();
        precondition("delete", key, "uid", deletion.uid(), object);
        precondition("delete", key, "resourceVersion", deletion.resourceVersion(), object);
        List<String> finalizers = finalizers(object, deletion.propagation());
        long grace = type.equals(ResourceType.PODS) ? graceSeconds(object, deletion) : 0;
        if (finalizers.isEmpty() && grace == 0 && !type.equals(ResourceType.NAMESPACES)) {
            cluster.remove(type, key);
            return;
        }
        ObjectNode meta = object.withObject("/metadata");
        Instant end = cluster.now().plusSeconds(grace);
        JsonNode before = meta.path("deletionTimestamp");
        if (before.isMissingNode() || end.isBefore(Instant.parse(before.asString()))) {
            meta.put("deletionTimestamp", end.toString());
            meta.put("deletionGracePeriodSeconds", grace);
        }
        if (type.equals(ResourceType.NAMESPACES)) {
            object.withObject("/status").put("phase", "Terminating");
        }
        meta.remove("finalizers");
        if (!finalizers.isEmpty()) {
            ArrayNode array = meta.putArray("finalizers");
            finalizers.forEach(array::add);
        }
        cluster.put(type, object);
    }

    private static List<String> finalizers(JsonNode object, @Nullable String propagation) {
        List<String> finalizers = new ArrayList<>();
        object.path("metadata").path("finalizers").forEach(f -> finalizers.add(f.asString()));
        if (propagation != null) {
            finalizers.removeAll(List.of("orphan", "foregroundDeletion"));
            switch (propagation) {
                case "Orphan" -> finalizers.add("orphan");
                case "Foreground" -> finalizers.add("foregroundDeletion");
                default -> {
                }
            }
        }
        return finalizers;
    }

    /** The grace period of a deletion. A pod without a node has none. */
    private static long graceSeconds(JsonNode pod, Deletion deletion) {
        if (pod.path("spec").path("nodeName").asString("").isEmpty()) {
            return 0;
        }
        return deletion.gracePeriodSeconds() != null
                ? deletion.gracePeriodSeconds()
                : pod.path("spec").path("terminationGracePeriodSeconds").asLong(DEFAULT_GRACE_SECONDS);
    }

    @Override
    public void deleteCollection(String namespace, Deletion deletion) {
        call("deletecollection", "", new ObjectKey(namespace, "*"), Objects.toString(deletion.propagation(), ""),
                () -> {
                    List.copyOf(cluster.store(type).keySet()).stream()
                            .filter(key -> namespace.isEmpty() || key.namespace().equals(namespace))
                            .forEach(key -> remove(key, deletion));
                    return true;
                });
    }

    @Override
    public void createSubresource(ObjectKey key, String subresource, Object body) {
        if (!subresource.equals("binding")) {
            throw new UnsupportedOperationException(subresource);
        }
        call("create", subresource, key, "", () -> {
            ObjectNode next = cluster.live(type, key, "create").deepCopy();
            String node = next.path("spec").path("nodeName").asString("");
            if (!node.isEmpty()) {
                throw conflict("bind", key, "pod " + key.name() + " is already assigned to node \"" + node + "\"");
            }
            next.withObject("/spec").put("nodeName",
                    ModelJson.tree(body).path("target").path("name").asString());
            return cluster.put(type, next);
        });
    }
}
