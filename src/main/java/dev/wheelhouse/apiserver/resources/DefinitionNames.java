package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
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
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Formats;

/**
 * The names of a CustomResourceDefinition. Names must be valid, and two definitions of a group cannot have the same
 * (upstream: {@code apiextensions-apiserver/pkg/controller/status/naming_controller.go}). Changes the given definitions
 * in place.
 */
final class DefinitionNames {
    private DefinitionNames() {}

    /**
     * Checks that the group is a domain with a dot. So no definition can add to a built-in group without a dot, such as
     * {@code apps}.
     */
    static void validateGroup(ObjectNode crd, Problems problems) {
        String group = Json.text(crd, "spec", "group");
        if (group.isEmpty()) {
            problems.required("spec.group");
        } else if (group.indexOf('.') < 0 || !Formats.dnsSubdomain(group).isEmpty()) {
            problems.invalid("spec.group", group, "should be a domain with at least one dot");
        }
    }

    /** Checks that names are DNS labels. The plural has no dot, so plural and group together identify one resource. */
    static void validate(ObjectNode crd, Problems problems) {
        JsonNode names = crd.path("spec").path("names");
        for (String field : List.of("plural", "singular", "kind", "listKind")) {
            String name = Json.text(names, field);
            if (name.isEmpty()) {
                problems.required("spec.names." + field);
            }
        }
        for (String field : List.of("plural", "singular")) {
            optional(names.get(field), "spec.names." + field, "", problems);
        }
        for (String field : List.of("kind", "listKind")) {
            optional(names.get(field), "spec.names." + field, "may have mixed case, but should otherwise match: ",
                    problems);
        }
        several(names.get("shortNames"), "spec.names.shortNames", problems);
        String listKind = Json.text(names, "listKind");
        if (!listKind.isEmpty() && listKind.equals(Json.text(names, "kind"))) {
            problems.invalid("spec.names.listKind", listKind, "kind and listKind may not be the same");
        }
        several(names.get("categories"), "spec.names.categories", problems);
    }

    private static void optional(@Nullable JsonNode name, String field, String prefix, Problems problems) {
        if (name != null && !name.asString("").isEmpty()) {
            label(name.asString(""), field, prefix, problems);
        }
    }

    private static void several(@Nullable JsonNode names, String field, Problems problems) {
        if (names instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                label(array.get(i).asString(""), field + "[" + i + "]", "", problems);
            }
        }
    }

    /** @param prefix of the message; unless it is empty, upper case is accepted */
    static void label(String name, String field, String prefix, Problems problems) {
        List<String> wrong = Formats.dns1035Label(prefix.isEmpty() ? name : name.toLowerCase(Locale.ROOT));
        if (!wrong.isEmpty()) {
            problems.invalid(field, name, prefix + String.join(",", wrong));
        }
    }

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
            names.path("shortNames").forEach(n -> resources.add(n.asString("")));
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
        if (isTrue(crd, "Established")) {
            return;
        }
        condition(crd, "Established", good, good ? "InitialNamesAccepted" : "NotAccepted",
                good ? "the initial names have been accepted" : "not all names are accepted", now);
    }

    /** The conflicts of one name or a list of names; empty if there are none. */
    private static String conflict(@Nullable JsonNode wanted, @Nullable JsonNode accepted, Set<String> taken) {
        List<String> problems = new ArrayList<>();
        List<JsonNode> names = new ArrayList<>();
        if (wanted instanceof ArrayNode several) {
            several.forEach(names::add);
        } else if (wanted != null && !wanted.equals(accepted)) {
            names.add(wanted);
        }
        Set<String> own = new HashSet<>();
        if (accepted instanceof ArrayNode several) {
            several.forEach(name -> own.add(name.asString("")));
        }
        for (JsonNode name : names) {
            if (!own.contains(name.asString("")) && taken.contains(name.asString(""))) {
                problems.add("\"" + name.asString("") + "\" is already in use");
            }
        }
        return problems.size() > 1 ? "[" + String.join(", ", problems) + "]" : String.join("", problems);
    }

    /** Whether the condition of a type is True. */
    static boolean isTrue(ObjectNode crd, String type) {
        for (JsonNode condition : crd.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals(type)) {
                return Json.text(condition, "status").equals("True");
            }
        }
        return false;
    }

    /** Sets a condition. Its transition time changes only with its status. */
    static void condition(ObjectNode crd, String type, boolean value, String reason, String message, String now) {
        ObjectNode status = Json.child(crd, "status");
        ArrayNode conditions = status.get("conditions") instanceof ArrayNode present
                ? present
                : status.putArray("conditions");
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
