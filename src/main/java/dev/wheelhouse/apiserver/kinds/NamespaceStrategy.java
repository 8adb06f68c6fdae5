package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;

/** Namespaces, which end when they are empty (upstream: {@code pkg/registry/core/namespace}). */
final class NamespaceStrategy extends Strategy {
    NamespaceStrategy() {
        super("", "Namespace");
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.dnsLabel(name);
    }

    @Override
    public boolean hasDefaults(String subresource) {
        return !subresource.equals("finalize");
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

    @Override
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        if (old == null) {
            NamespaceContents.fill(Meta.name(object), state);
        }
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ClusterValidation.namespace(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        // the metadata is all
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("/Namespace", object, old, problems);
    }

    @Override
    protected void validateSubresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {
        ClusterValidation.namespace(object, problems);
    }
}
