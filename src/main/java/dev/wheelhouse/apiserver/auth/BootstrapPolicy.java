package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Resources;

/**
 * The roles and bindings that every cluster has, whatever its authorization mode (upstream:
 * {@code plugin/pkg/auth/authorizer/rbac/bootstrappolicy}). They are in {@code bootstrap-policy.tsv}, which explains
 * its columns.
 */
public final class BootstrapPolicy {
    private static final String VERSION = RbacPolicies.GROUP + "/v1";
    private static final String AGGREGATE_TO = RbacPolicies.GROUP + "/aggregate-to-";
    private static final String NONE = "-";

    private BootstrapPolicy() {}

    /** @param resource the resource it is stored under, as {@code clusterroles.rbac.authorization.k8s.io} */
    public record Bootstrap(String resource, ObjectNode object) {}

    /** New objects on each call, without UID and creation time. */
    public static List<Bootstrap> objects() {
        List<Bootstrap> all = new ArrayList<>();
        for (String line : Resources.text(BootstrapPolicy.class, "bootstrap-policy.tsv").lines().toList()) {
            if (line.startsWith("#") || line.isEmpty()) {
                continue;
            }
            String[] columns = line.split("\t");
            switch (columns[0]) {
                case "clusterrole" -> all.add(role("ClusterRole", columns));
                case "role" -> all.add(role("Role", columns));
                case "rule" -> ((ArrayNode) all.getLast().object.get("rules")).add(rule(columns));
                default -> all.add(binding(columns));
            }
        }
        return all;
    }

    private static ObjectNode object(String kind, String[] columns) {
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", VERSION);
        ObjectNode meta = object.putObject("metadata").put("name", columns[2]);
        if (!columns[1].equals(NONE)) {
            meta.put("namespace", columns[1]);
        }
        meta.putObject("labels").put("kubernetes.io/bootstrapping", "rbac-defaults");
        meta.putObject("annotations").put("rbac.authorization.kubernetes.io/autoupdate", "true");
        return object;
    }

    private static Bootstrap role(String kind, String[] columns) {
        ObjectNode role = object(kind, columns);
        for (String target : list(columns[3])) {
            Json.child(Json.child(role, "metadata"), "labels").put(AGGREGATE_TO + target, "true");
        }
        if (!columns[4].equals(NONE)) {
            ArrayNode selectors = role.putObject("aggregationRule").putArray("clusterRoleSelectors");
            list(columns[4]).forEach(source -> selectors.addObject().putObject("matchLabels")
                    .put(AGGREGATE_TO + source, "true"));
        }
        if (role.has("aggregationRule")) {
            role.putNull("rules"); // A controller fills them in.
        } else {
            role.putArray("rules");
        }
        return new Bootstrap(kind.equals("Role")
                ? "roles." + RbacPolicies.GROUP
                : "clusterroles." + RbacPolicies.GROUP, role);
    }

    /**
     * Writes the managed fields of a new role or binding. Each field outside of the metadata is owned as a whole. A
     * comparison with an empty object would take ten times as long, which counts at each start.
     */
    public static void own(ObjectNode object, String now) {
        ObjectNode meta = Json.child(object, "metadata");
        ObjectNode fields = Json.object();
        if (object.get("aggregationRule") instanceof ObjectNode rule) {
            fields.set("f:aggregationRule", eachOf(rule));
        }
        fields.putObject("f:metadata").set("f:annotations", eachOf(Json.child(meta, "annotations")))
                .set("f:labels", eachOf(Json.child(meta, "labels")));
        for (String field : List.of("roleRef", "rules", "subjects")) {
            if (!object.path(field).isEmpty()) {
                fields.putObject("f:" + field);
            }
        }
        meta.putArray("managedFields").addObject().put("manager", "kube-apiserver").put("operation", "Update")
                .put("apiVersion", VERSION).put("time", now).put("fieldsType", "FieldsV1").set("fieldsV1", fields);
    }

    private static ObjectNode eachOf(ObjectNode map) {
        ObjectNode fields = Json.object();
        fields.putObject(".");
        map.propertyNames().stream().sorted().forEach(name -> fields.putObject("f:" + name));
        return fields;
    }

    private static ObjectNode rule(String[] columns) {
        return new PolicyRule(list(columns[1]), list(columns[2]), list(columns[3]), list(columns[4]),
                list(columns[5])).toJson();
    }

    private static Bootstrap binding(String[] columns) {
        boolean cluster = columns[0].equals("clusterrolebinding");
        ObjectNode binding = object(cluster ? "ClusterRoleBinding" : "RoleBinding", columns);
        String[] role = columns[3].split("=", 2);
        binding.putObject("roleRef").put("apiGroup", RbacPolicies.GROUP).put("kind", role[0]).put("name", role[1]);
        List<String> subjects = list(columns[4]);
        if (!subjects.isEmpty()) {
            ArrayNode array = binding.putArray("subjects");
            subjects.forEach(subject -> subject(array.addObject(), subject.split("=", 2)));
        }
        return new Bootstrap((cluster ? "clusterrolebindings." : "rolebindings.") + RbacPolicies.GROUP, binding);
    }

    private static void subject(ObjectNode subject, String[] kindAndName) {
        String name = kindAndName[1];
        if (kindAndName[0].equals("ServiceAccount")) {
            int slash = name.indexOf('/');
            subject.put("kind", "ServiceAccount").put("name", name.substring(slash + 1))
                    .put("namespace", name.substring(0, slash));
        } else {
            subject.put("apiGroup", RbacPolicies.GROUP).put("kind", kindAndName[0]).put("name", name);
        }
    }

    private static List<String> list(String column) {
        return column.equals(NONE)
                ? List.of()
                : List.of(column.split(",")).stream().map(value -> value.equals("\"\"") ? "" : value).toList();
    }
}
