package dev.wheelhouse.apiserver.resources;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;

/**
 * The accepted names and the conditions of a CustomResourceDefinition. Two definitions of a group cannot have the same
 * name (upstream: {@code apiextensions-apiserver/pkg/controller/status/naming_controller.go}). Changes the given
 * definitions in place.
 */
public final class DefinitionNames {
    private DefinitionNames() {}

    /**
     * Writes {@code status.acceptedNames} and the conditions NamesAccepted and Established. An established definition
     * stays established, even if it loses names.
     *
     * @param others the other definitions of the group
     * @param now the time for changed conditions
     */
    static void decide(ObjectNode crd, List<ObjectNode> others, String now) {
        Set<String> resources = new HashSet<>();
        Set<String> kinds = new HashSet<>();
        for (ObjectNode other : others) {
            JsonNode names = other.path("status").path("acceptedNames");
            for (String field : List.of("plural", "singular")) {
                resources.add(Json.text(names, field));
            }
            resources.addAll(Json.texts(names.path("shortNames")));
            kinds.add(Json.text(names, "kind"));
            kinds.add(Json.text(names, "listKind"));
        }
        JsonNode wanted = crd.path("spec").path("names");
        ObjectNode accepted = Json.child(Json.child(crd, "status"), "acceptedNames");
        String reason = "NoConflicts";
        String message = "no conflicts found";
        for (String field : List.of("plural", "singular", "shortNames", "kind", "listKind")) {
            String conflict = conflict(wanted.get(field), accepted.get(field),
                    field.endsWith("ind") ? kinds : resources);
            if (conflict.isEmpty()) {
                Meta.set(accepted, field, wanted.get(field));
            } else {
                reason = field.substring(0, 1).toUpperCase(Locale.ROOT) + field.substring(1) + "Conflict";
                message = conflict;
            }
        }
        Meta.set(accepted, "categories", wanted.get("categories"));
        boolean good = reason.equals("NoConflicts");
        condition(crd, "NamesAccepted", good, reason, message, now);
        if (!isTrue(crd, "Established")) {
            condition(crd, "Established", good, good ? "InitialNamesAccepted" : "NotAccepted",
                    good ? "the initial names have been accepted" : "not all names are accepted", now);
        }
        own(crd, now);
    }

    /** Notes as an owner of the status the manager that the server is upstream; a present entry keeps its time. */
    private static void own(ObjectNode crd, String now) {
        ObjectNode status = Json.object();
        crd.path("status").path("acceptedNames").propertyStream().map(name -> "f:" + name.getKey()).sorted()
                .forEach(status.putObject("f:acceptedNames")::putObject);
        ObjectNode conditions = status.putObject("f:conditions");
        crd.path("status").path("conditions").valueStream().map(one -> Json.text(one, "type")).sorted()
                .map(type -> conditions.putObject("k:{\"type\":\"" + type + "\"}"))
                .forEach(condition -> List.of(".", "f:lastTransitionTime", "f:message", "f:reason", "f:status",
                        "f:type").forEach(condition::putObject));
        ArrayNode entries = Meta.of(crd).withArray("managedFields");
        for (JsonNode entry : entries) {
            if (Json.text(entry, "manager").equals("kube-apiserver")
                    && entry.get("fieldsV1") instanceof ObjectNode fields) {
                fields.set("f:status", status);
                return;
            }
        }
        entries.addObject().put("manager", "kube-apiserver").put("operation", "Update")
                .put("apiVersion", Json.text(crd, "apiVersion")).put("time", now).put("fieldsType", "FieldsV1")
                .set("fieldsV1", Json.object().set("f:status", status)).put("subresource", "status");
    }

    /** The conflicts of one name or a list of names; empty if there are none. */
    private static String conflict(@Nullable JsonNode wanted, @Nullable JsonNode accepted, Set<String> taken) {
        if (wanted == null || wanted.equals(accepted)) {
            return "";
        }
        List<String> own = accepted == null ? List.of() : Json.texts(accepted);
        List<String> problems = (wanted.isArray() ? Json.texts(wanted) : List.of(wanted.asString(""))).stream()
                .filter(name -> taken.contains(name) && !own.contains(name))
                .map(name -> "\"" + name + "\" is already in use").toList();
        return problems.size() > 1 ? "[" + String.join(", ", problems) + "]" : String.join("", problems);
    }

    /** Whether the condition of a type is True. */
    public static boolean isTrue(ObjectNode crd, String type) {
        return crd.path("status").path("conditions").valueStream().anyMatch(condition -> Json.text(condition, "type")
                .equals(type) && Json.text(condition, "status").equals("True"));
    }

    /**
     * Sets a condition of a definition.
     *
     * @param now the time of the transition, if the status changes
     */
    public static void condition(ObjectNode crd, String type, boolean value, String reason, String message,
            String now) {
        ObjectNode status = Json.child(crd, "status");
        ArrayNode conditions = status.withArray("conditions");
        ObjectNode condition = null;
        for (JsonNode one : conditions) {
            if (one instanceof ObjectNode object && Json.text(one, "type").equals(type)) {
                condition = object;
            }
        }
        if (condition == null) {
            condition = conditions.addObject().put("type", type);
        }
        String text = value ? "True" : "False";
        if (!Json.text(condition, "status").equals(text)) {
            condition.put("status", text).put("lastTransitionTime", now);
        }
        condition.put("reason", reason).put("message", message);
    }
}
