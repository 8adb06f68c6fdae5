package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Namespaces. A deletion first empties them (upstream: {@code pkg/registry/core/namespace}). */
final class NamespaceStrategy extends Strategy {
    NamespaceStrategy() {
        super("", "Namespace");
    }

    @Override
    public boolean hasDefaults(String subresource) {
        return !subresource.equals("finalize");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.Namespace", NamespaceStrategy::fillIn);
    }

    private static void fillIn(ObjectNode namespace) {
        ObjectNode metadata = Json.child(namespace, "metadata");
        String name = Json.text(metadata, "name");
        if (!name.isEmpty()) {
            Json.child(metadata, "labels").put("kubernetes.io/metadata.name", name);
        }
        if (Json.at(metadata, "deletionTimestamp") == null && isEmpty(Json.child(namespace, "spec"), "finalizers")) {
            Json.child(namespace, "spec").putArray("finalizers").add("kubernetes");
        }
        set(Json.child(namespace, "status"), "phase", "Active");
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Active");
        ObjectNode spec = Json.child(object, "spec");
        ArrayNode finalizers = spec.get("finalizers") instanceof ArrayNode given ? given : spec.putArray("finalizers");
        if (finalizers.valueStream().noneMatch(finalizer -> finalizer.asString("").equals("kubernetes"))) {
            finalizers.add("kubernetes");
        }
    }

    @Override
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        if (subresource.equals("finalize")) {
            finalizers(object, old);
        } else {
            super.prepareForUpdate(info, subresource, object, old, state);
        }
    }

    private static void finalizers(ObjectNode object, ObjectNode old) {
        JsonNode finalizers = Json.at(object, "spec", "finalizers");
        object.removeAll();
        object.setAll(old.deepCopy());
        if (finalizers instanceof ArrayNode array && !array.isEmpty()) {
            Json.child(object, "spec").set("finalizers", array);
        } else {
            Json.child(object, "spec").remove("finalizers");
        }
    }

    @Override
    protected void update(ObjectNode object, ObjectNode old, ClusterState state) {
        Meta.set(Json.child(object, "spec"), "finalizers", Json.at(old, "spec", "finalizers"));
    }

    @Override
    protected void validateSubresource(String subresource, ObjectNode namespace, ObjectNode old, Problems problems) {
        validate(namespace, problems);
    }

    @Override
    public boolean isHeld(ObjectNode namespace) {
        return Json.at(namespace, "spec", "finalizers") instanceof ArrayNode held && !held.isEmpty();
    }

    @Override
    public boolean terminates(ObjectNode namespace) {
        return isHeld(namespace) || !Meta.finalizers(namespace).isEmpty();
    }

    @Override
    public void markTerminating(ObjectNode namespace, ClusterState state) {
        Meta.of(namespace).put("deletionTimestamp", Meta.time(state.clock().now()));
        Json.child(namespace, "status").put("phase", "Terminating");
    }
}
