package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;

/**
 * Which names of a CustomResourceDefinition are its own: two of one group cannot have the same (upstream:
 * {@code apiextensions-apiserver/pkg/controller/status/naming_controller.go}). Changes the definitions that it is given.
 */
final class DefinitionNames {
    private static final String LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
    private static final Pattern LABEL_FORM = Pattern.compile(LABEL);
    private static final Pattern GROUP_FORM = Pattern
            .compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+");
    private static final int LONGEST_LABEL = 63;

    private DefinitionNames() {}

    /** The group is a domain: so no definition adds to a group of the server that has no dot, such as {@code apps}. */
    static void validateGroup(ObjectNode crd, List<Cause> causes) {
        String group = Json.text(crd, "spec", "group");
        if (group.isEmpty()) {
            causes.add(new Cause("spec.group", "FieldValueRequired", "Required value"));
        } else if (!GROUP_FORM.matcher(group).matches()) {
            causes.add(new Cause("spec.group", "FieldValueInvalid",
                    "Invalid value: \"" + group + "\": should be a domain with at least one dot"));
        }
    }

    /** Names are labels. So the plural has no dot, and plural and group together mean one resource only. */
    static void validate(ObjectNode crd, List<Cause> causes) {
        JsonNode names = crd.path("spec").path("names");
        for (String field : List.of("plural", "singular", "kind", "listKind")) {
            String name = Json.text(names, field);
            if (name.isEmpty()) {
                causes.add(new Cause("spec.names." + field, "FieldValueRequired", "Required value"));
            }
        }
        for (String field : List.of("plural", "singular")) {
            optional(names.get(field), "spec.names." + field, "", causes);
        }
        for (String field : List.of("kind", "listKind")) {
            optional(names.get(field), "spec.names." + field, "may have mixed case, but should otherwise match: ",
                    causes);
        }
        several(names.get("shortNames"), "spec.names.shortNames", causes);
        String listKind = Json.text(names, "listKind");
        if (!listKind.isEmpty() && listKind.equals(Json.text(names, "kind"))) {
            causes.add(new Cause("spec.names.listKind", "FieldValueInvalid",
                    "Invalid value: \"" + listKind + "\": kind and listKind may not be the same"));
        }
        several(names.get("categories"), "spec.names.categories", causes);
    }

    private static void optional(@Nullable JsonNode name, String field, String prefix, List<Cause> causes) {
        if (name != null && !name.asString("").isEmpty()) {
            label(name.asString(""), field, prefix, causes);
        }
    }

    private static void several(@Nullable JsonNode names, String field, List<Cause> causes) {
        if (names instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                label(array.get(i).asString(""), field + "[" + i + "]", "", causes);
            }
        }
    }

    /** @param prefix of the message; unless it is empty, upper case is as good as lower case */
    static void label(String name, String field, String prefix, List<Cause> causes) {
        List<String> problems = new ArrayList<>();
        if (name.length() > LONGEST_LABEL) {
            problems.add("must be no more than " + LONGEST_LABEL + " characters");
        }
        if (!LABEL_FORM.matcher(prefix.isEmpty() ? name : name.toLowerCase(Locale.ROOT)).matches()) {
            problems.add("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
                    + "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
                    + "regex used for validation is '" + LABEL + "')");
        }
        if (!problems.isEmpty()) {
            causes.add(new Cause(field, "FieldValueInvalid",
                    "Invalid value: \"" + name + "\": " + prefix + String.join(",", problems)));
        }
    }

    /**
     * Writes {@code status.acceptedNames} and the conditions NamesAccepted and Established. A definition that was established once stays
     * so, whatever becomes of its names.
     *
     * @param others the other definitions of its group
     * @param now for conditions that change
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

    /** What is wrong with a name or with some of several; empty if nothing is. */
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

    static boolean isTrue(ObjectNode crd, String type) {
        for (JsonNode condition : crd.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals(type)) {
                return Json.text(condition, "status").equals("True");
            }
        }
        return false;
    }

    /** Sets a condition; its time stays where its status does. */
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
