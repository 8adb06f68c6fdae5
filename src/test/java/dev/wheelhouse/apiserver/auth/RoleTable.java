package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Roles and bindings as lines of a table: kind, namespace, name, then rules or the role's kind and name, then subjects.
 */
final class RoleTable {
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final String NONE = "-";
    private static final Map<String, String> FIELDS = Map.of("verbs", "verbs", "groups", "apiGroups", "resources",
            "resources", "names", "resourceNames", "urls", "nonResourceURLs");

    private RoleTable() {}

    static boolean isRole(String kind) {
        return kind.endsWith("Role") || kind.endsWith("RoleBinding");
    }

    /** A new object, without rules or subjects. @param namespace empty for a cluster's own */
    static ObjectNode object(String kind, String namespace, String name) {
        ObjectNode object = Json.object().put("apiVersion", RBAC + "/v1").put("kind", kind);
        ObjectNode meta = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            meta.put("namespace", namespace);
        }
        return object;
    }

    /** The path of the collection that the object is created in. */
    static String collection(ObjectNode object) {
        String namespace = Json.text(object, "metadata", "namespace");
        return "/apis/" + RBAC + "/v1/" + (namespace.isEmpty() ? "" : "namespaces/" + namespace + "/")
                + Json.text(object, "kind").toLowerCase(Locale.ROOT) + "s";
    }

    /** @param kind {@code User}, {@code Group} or {@code ServiceAccount} */
    static void subject(ArrayNode subjects, String kind, String namespace, String name) {
        ObjectNode subject = subjects.addObject().put("kind", kind).put("name", name);
        if (!kind.equals("ServiceAccount")) {
            subject.put("apiGroup", RBAC);
        } else if (!namespace.isEmpty()) {
            subject.put("namespace", namespace);
        }
    }

    static void roleRef(ObjectNode binding, String kind, String name) {
        binding.putObject("roleRef").put("apiGroup", RBAC).put("kind", kind).put("name", name);
    }

    static String line(ObjectNode object) {
        List<String> columns = new ArrayList<>(List.of(Json.text(object, "kind"),
                object.path("metadata").path("namespace").asString(NONE), Json.text(object, "metadata", "name")));
        for (JsonNode rule : object.path("rules")) {
            List<String> fields = new ArrayList<>();
            for (String field : List.of("verbs", "groups", "resources", "names", "urls")) {
                JsonNode values = rule.path(FIELDS.get(field));
                if (!values.isEmpty()) {
                    fields.add(field + "=" + String.join(",", values.valueStream().map(JsonNode::asString).toList()));
                }
            }
            columns.add(String.join(" ", fields));
        }
        if (object.has("roleRef")) {
            columns.add(Json.text(object, "roleRef", "kind"));
            columns.add(Json.text(object, "roleRef", "name"));
        }
        for (JsonNode subject : object.path("subjects")) {
            columns.add(Json.text(subject, "kind") + " " + subject.path("namespace").asString(NONE) + " "
                    + Json.text(subject, "name"));
        }
        return String.join("\t", columns);
    }

    static ObjectNode parse(List<String> columns) {
        ObjectNode object = object(columns.get(0), columns.get(1).equals(NONE) ? "" : columns.get(1), columns.get(2));
        if (columns.getFirst().endsWith("Binding")) {
            roleRef(object, columns.get(3), columns.get(4));
            ArrayNode subjects = object.putArray("subjects");
            for (String column : columns.subList(5, columns.size())) {
                String[] parts = column.split(" ", -1);
                subject(subjects, parts[0], parts[1].equals(NONE) ? "" : parts[1], parts[2]);
            }
            return object;
        }
        ArrayNode rules = object.putArray("rules");
        for (String column : columns.subList(3, columns.size())) {
            ObjectNode rule = rules.addObject();
            for (String field : column.split(" ", -1)) {
                ArrayNode values = rule.putArray(FIELDS.get(field.substring(0, field.indexOf('='))));
                for (String value : field.substring(field.indexOf('=') + 1).split(",", -1)) {
                    values.add(value);
                }
            }
        }
        return object;
    }
}
