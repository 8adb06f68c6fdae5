package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.Cause;
import dev.wheelhouse.apiserver.schema.CustomType;
import dev.wheelhouse.apiserver.schema.ResourceInfo;
import dev.wheelhouse.apiserver.schema.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.runtime.Clock;

/** Serves the resources of CustomResourceDefinitions: they are in the registry for as long as the definition is stored. */
final class CustomResources {
    static final String RESOURCE = "customresourcedefinitions.apiextensions.k8s.io";
    private static final Set<String> VERBS = Set.of("create", "delete", "deletecollection", "get", "list", "patch",
            "update", "watch");
    private static final Set<String> SUBRESOURCE_VERBS = Set.of("get", "patch", "update");

    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final Clock clock;

    CustomResources(ObjectStore store, ResourceRegistry registry, Clock clock) {
        this.store = store;
        this.registry = registry;
        this.clock = clock;
        store.snapshot(RESOURCE).select(Selection.all()).forEach(crd -> serve(crd.tree()));
    }

    /** Fills in the names that follow from the kind, and the conditions of a definition that is served. */
    void accept(ObjectNode crd) {
        ObjectNode names = Json.child(Json.child(crd, "spec"), "names");
        String kind = Json.text(names, "kind");
        if (Json.text(names, "singular").isEmpty()) {
            names.put("singular", kind.toLowerCase(Locale.ROOT));
        }
        if (Json.text(names, "listKind").isEmpty()) {
            names.put("listKind", kind + "List");
        }
        Json.child(Json.child(crd, "spec"), "conversion");
        if (Json.text(crd, "spec", "conversion", "strategy").isEmpty()) {
            Json.child(Json.child(crd, "spec"), "conversion").put("strategy", "None");
        }
        ObjectNode status = Json.child(crd, "status");
        status.set("acceptedNames", names.deepCopy());
        ArrayNode stored = status.get("storedVersions") instanceof ArrayNode present
                ? present
                : status.putArray("storedVersions");
        for (JsonNode version : versions(crd)) {
            boolean listed = false;
            for (JsonNode one : stored) {
                listed |= one.asString("").equals(Json.text(version, "name"));
            }
            if (version.path("storage").asBoolean(false) && !listed) {
                stored.add(Json.text(version, "name"));
            }
        }
        if (!(status.get("conditions") instanceof ArrayNode)) {
            String now = Meta.time(clock.now());
            ArrayNode conditions = status.putArray("conditions");
            conditions.addObject().put("type", "NamesAccepted").put("status", "True").put("lastTransitionTime", now)
                    .put("reason", "NoConflicts").put("message", "no conflicts found");
            conditions.addObject().put("type", "Established").put("status", "True").put("lastTransitionTime", now)
                    .put("reason", "InitialNamesAccepted")
                    .put("message", "the initial names have been accepted");
        }
    }

    /** What is wrong with a definition, as far as its objects depend on it. */
    static List<Cause> validate(ObjectNode crd) {
        List<Cause> causes = new ArrayList<>();
        String name = Json.text(crd, "spec", "names", "plural") + "." + Json.text(crd, "spec", "group");
        if (!Meta.name(crd).equals(name)) {
            causes.add(new Cause("metadata.name", "FieldValueInvalid", "Invalid value: \"" + Meta.name(crd)
                    + "\": must be spec.names.plural+\".\"+spec.group"));
        }
        for (String field : List.of("plural", "kind")) {
            if (Json.text(crd, "spec", "names", field).isEmpty()) {
                causes.add(new Cause("spec.names." + field, "FieldValueRequired", "Required value"));
            }
        }
        String scope = Json.text(crd, "spec", "scope");
        if (scope.isEmpty()) {
            causes.add(new Cause("spec.scope", "FieldValueRequired", "Required value"));
        } else if (!scope.equals("Namespaced") && !scope.equals("Cluster")) {
            causes.add(new Cause("spec.scope", "FieldValueNotSupported", "Unsupported value: \"" + scope
                    + "\": supported values: \"Cluster\", \"Namespaced\""));
        }
        int storage = 0;
        int i = 0;
        for (JsonNode version : versions(crd)) {
            storage += version.path("storage").asBoolean(false) ? 1 : 0;
            String at = "spec.versions[" + i++ + "].schema.openAPIV3Schema";
            JsonNode schema = Json.at(version, "schema", "openAPIV3Schema");
            if (schema == null) {
                causes.add(new Cause(at, "FieldValueRequired", "Required value: schemas are required"));
            } else if (!Json.text(schema, "type").equals("object")) {
                String type = Json.text(schema, "type");
                causes.add(type.isEmpty()
                        ? new Cause(at + ".type", "FieldValueRequired", "Required value: must not be empty at the root")
                        : new Cause(at + ".type", "FieldValueInvalid",
                                "Invalid value: \"" + type + "\": must be object at the root"));
            }
        }
        if (storage != 1) {
            causes.add(new Cause("spec.versions", "FieldValueInvalid", "Invalid value: "
                    + crd.path("spec").path("versions") + ": must have exactly one version marked as storage version"));
        }
        return causes;
    }

    private static List<JsonNode> versions(ObjectNode crd) {
        List<JsonNode> versions = new ArrayList<>();
        if (Json.at(crd, "spec", "versions") instanceof ArrayNode array) {
            array.forEach(versions::add);
        }
        return versions;
    }

    /** Registers what the definition says is served. */
    void serve(ObjectNode crd) {
        String group = Json.text(crd, "spec", "group");
        String plural = Json.text(crd, "spec", "names", "plural");
        for (JsonNode version : versions(crd)) {
            String name = Json.text(version, "name");
            if (!version.path("served").asBoolean(false)) {
                registry.remove(group, name, plural);
                continue;
            }
            String kind = Json.text(crd, "spec", "names", "kind");
            List<ResourceInfo.Subresource> subresources = new ArrayList<>();
            if (Json.at(version, "subresources", "status") != null) {
                subresources.add(new ResourceInfo.Subresource("status", "", "", kind, SUBRESOURCE_VERBS));
            }
            if (Json.at(version, "subresources", "scale") != null) {
                subresources.add(
                        new ResourceInfo.Subresource("scale", "autoscaling", "v1", "Scale", SUBRESOURCE_VERBS));
            }
            registry.put(new ResourceInfo(
                    new ResourceType(group, name, plural, kind,
                            Json.text(crd, "spec", "scope").equals("Namespaced")),
                    Json.text(crd, "spec", "names", "singular"), texts(crd, "shortNames"), texts(crd, "categories"),
                    new TreeSet<>(VERBS), subresources, CustomType.of(crd, version)));
        }
    }

    private static List<String> texts(ObjectNode crd, String field) {
        List<String> texts = new ArrayList<>();
        if (Json.at(crd, "spec", "names", field) instanceof ArrayNode array) {
            array.forEach(t -> texts.add(t.asString("")));
        }
        return texts;
    }

    /** Ends serving, and removes the objects. */
    void withdraw(ObjectNode crd) {
        String group = Json.text(crd, "spec", "group");
        String plural = Json.text(crd, "spec", "names", "plural");
        versions(crd).forEach(version -> registry.remove(group, Json.text(version, "name"), plural));
        String resource = plural + "." + group;
        store.snapshot(resource).select(Selection.all())
                .forEach(o -> store.delete(resource, o.namespace(), o.name(), o.version()));
    }
}
