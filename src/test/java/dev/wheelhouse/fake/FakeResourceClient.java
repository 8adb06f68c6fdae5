package dev.wheelhouse.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;

/** One type of a {@link FakeCluster}. */
final class FakeResourceClient<T extends KubernetesObject> implements ResourceClient<T> {
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

    @Override
    public T get(ObjectKey key) {
        cluster.request("GET " + type + " " + key);
        return FakeCluster.read(cluster.live(type, key, "GET"), model);
    }

    @Override
    public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
        cluster.request("LIST " + type + " " + namespace);
        List<T> items = new ArrayList<>();
        cluster.store(type).forEach((key, object) -> {
            if (namespace.isEmpty() || key.namespace().equals(namespace)) {
                items.add(FakeCluster.read(object, model));
            }
        });
        return new ListPage<>(items, "1", null, List.of());
    }

    @Override
    public T create(T object) {
        cluster.request("CREATE " + type + " " + ObjectKey.of(object));
        return cluster.put(type, object);
    }

    @Override
    public T update(T object) {
        return replace(object, "");
    }

    @Override
    public T updateStatus(T object) {
        return replace(object, "/status");
    }

    @Override
    public T updateSubresource(T object, String subresource) {
        T answer = replace(object, "/" + subresource);
        ObjectKey key = ObjectKey.of(object);
        JsonNode json = cluster.json(type, key);
        if (subresource.equals("finalize") && json.path("metadata").hasNonNull("deletionTimestamp")
                && json.path("spec").path("finalizers").isEmpty()
                && json.path("metadata").path("finalizers").isEmpty()) {
            cluster.remove(type, key);
        }
        return answer;
    }

    private T replace(T object, String suffix) {
        ObjectKey key = ObjectKey.of(object);
        cluster.request("UPDATE " + type + suffix + " " + key);
        ObjectNode live = cluster.live(type, key, "UPDATE");
        ObjectNode next = (ObjectNode) ModelJson.tree(object);
        if (!live.get("metadata").get("resourceVersion").equals(next.get("metadata").get("resourceVersion"))) {
            throw new ApiError("UPDATE " + type + " " + key, 409, "Conflict", "the object has been modified", null);
        }
        if (suffix.equals("/status")) {
            ObjectNode merged = live.deepCopy();
            merged.set("status", next.get("status"));
            next = merged;
        }
        return FakeCluster.read(cluster.settle(type, next), model);
    }

    @Override
    public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
        cluster.request("PATCH " + type + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key + " " + body);
        ObjectNode live = cluster.live(type, key, "PATCH");
        ObjectNode next = live.deepCopy();
        JsonNode patch = ModelJson.mapperForModels().readTree(body);
        JsonNode uid = patch.path("metadata").path("uid");
        JsonNode version = patch.path("metadata").path("resourceVersion");
        if ((uid.isString() && !uid.equals(live.get("metadata").get("uid")))
                || (version.isString() && !version.equals(live.get("metadata").get("resourceVersion")))) {
            throw new ApiError("PATCH " + type + " " + key, 409, "Conflict", "Precondition failed: UID or version",
                    null);
        }
        merge(next, (ObjectNode) patch, patchType == PatchType.STRATEGIC_MERGE);
        return FakeCluster.read(cluster.settle(type, next), model);
    }

    private static void merge(ObjectNode into, ObjectNode patch, boolean strategic) {
        patch.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            String name = entry.getKey();
            if (value.isNull()) {
                into.remove(name);
            } else if (value instanceof ObjectNode object) {
                merge(into.withObject("/" + name), object, strategic);
            } else if (strategic && value instanceof ArrayNode array && mergeKey(name) != null) {
                mergeList(into.withArray(name), array, Objects.requireNonNull(mergeKey(name)));
            } else {
                into.set(name, value);
            }
        });
    }

    private static @Nullable String mergeKey(String field) {
        return switch (field) {
            case "ownerReferences" -> "uid";
            case "conditions" -> "type";
            default -> null;
        };
    }

    private static void mergeList(ArrayNode into, ArrayNode patch, String key) {
        for (JsonNode element : patch) {
            int at = 0;
            while (at < into.size() && !into.get(at).path(key).equals(element.path(key))) {
                at++;
            }
            if ("delete".equals(element.path("$patch").asString(""))) {
                if (at < into.size()) {
                    into.remove(at);
                }
            } else if (at < into.size()) {
                merge((ObjectNode) into.get(at), (ObjectNode) element, true);
            } else {
                into.add(element);
            }
        }
    }

    @Override
    public void delete(ObjectKey key, Deletion deletion) {
        cluster.request("DELETE " + type + " " + key
                + (deletion.propagation() == null ? "" : " " + deletion.propagation())
                + (deletion.uid() == null ? "" : " uid=" + deletion.uid())
                + (deletion.resourceVersion() == null ? "" : " rv"));
        cluster.delete(type, key, deletion);
    }

    @Override
    public void deleteCollection(String namespace, Deletion deletion) {
        cluster.request("DELETECOLLECTION " + type + " " + namespace + " " + deletion.propagation());
        List.copyOf(cluster.store(type).keySet()).stream().filter(key -> key.namespace().equals(namespace))
                .forEach(key -> cluster.delete(type, key, deletion));
    }

    @Override
    public void createSubresource(ObjectKey key, String subresource, Object body) {
        JsonNode json = ModelJson.tree(body);
        cluster.request("CREATE " + type + "/" + subresource + " " + key);
        ObjectNode live = cluster.live(type, key, "CREATE");
        if (subresource.equals("binding")) {
            if (!live.path("spec").path("nodeName").asString("").isEmpty()) {
                throw new ApiError("CREATE pods/binding " + key, 409, "Conflict", "pod " + key.name()
                        + " is already assigned to node \"" + live.path("spec").path("nodeName").asString() + "\"",
                        null);
            }
            ObjectNode next = live.deepCopy();
            next.withObject("/spec").put("nodeName", json.path("target").path("name").asString());
            cluster.put(type, next);
        }
    }

    @Override
    public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
        throw new UnsupportedOperationException("the fake informers do not list and watch");
    }
}
