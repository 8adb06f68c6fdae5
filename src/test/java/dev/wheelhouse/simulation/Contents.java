package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.client.ModelJson;

/** The objects of a server now. Each version of an object is decoded once, so callers must not change it. */
final class Contents {
    private final ObjectStore store;
    private final Map<Decoded, Object> decoded = new HashMap<>();

    Contents(ObjectStore store) {
        this.store = store;
    }

    private record Decoded(long version, Class<?> model) {}

    /**
     * The objects of a type, in order of their names.
     *
     * @param namespace ignored for a cluster-scoped type
     * @param model a model class, or {@link JsonNode} for trees
     */
    <T> List<T> list(ResourceType type, String namespace, Class<T> model) {
        List<T> objects = new ArrayList<>();
        for (StoredObject object : store.snapshot(type.groupResource())
                .select(type.namespaced() ? Selection.inNamespace(namespace) : Selection.all())) {
            objects.add(model.cast(decoded.computeIfAbsent(new Decoded(object.version(), model),
                    d -> model == JsonNode.class ? Json.read(object.json()) : ModelJson.read(object.json(), model))));
        }
        return objects;
    }
}
