package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The cluster roles that every cluster has and people bind (upstream:
 * {@code plugin/pkg/auth/authorizer/rbac/bootstrappolicy}). They are data alone while the server allows every request.
 */
final class BootstrapRoles {
    private static final List<String> READ = List.of("get", "list", "watch");
    private static final List<String> WRITE = List.of("create", "delete", "deletecollection", "get", "list", "patch",
            "update", "watch");
    private static final List<List<String>> WORKLOADS = List.of(
            List.of("", "configmaps", "endpoints", "persistentvolumeclaims", "pods", "pods/log", "pods/status",
                    "replicationcontrollers", "replicationcontrollers/scale", "serviceaccounts", "services"),
            List.of("apps", "controllerrevisions", "daemonsets", "deployments", "deployments/scale", "replicasets",
                    "replicasets/scale", "statefulsets", "statefulsets/scale"),
            List.of("autoscaling", "horizontalpodautoscalers"), List.of("batch", "cronjobs", "jobs"),
            List.of("policy", "poddisruptionbudgets"), List.of("networking.k8s.io", "ingresses", "networkpolicies"),
            List.of("discovery.k8s.io", "endpointslices"));
    private static final List<List<String>> SECRETS = List.of(List.of("", "secrets"));
    private static final List<List<String>> RIGHTS = List
            .of(List.of("rbac.authorization.k8s.io", "rolebindings", "roles"));

    private BootstrapRoles() {}

    /** New objects, by the resource that they are stored as. */
    static Map<String, List<ObjectNode>> all(Hooks hooks) {
        ObjectNode clusterAdmin = role(hooks, "cluster-admin");
        ArrayNode rules = clusterAdmin.putArray("rules");
        rule(rules, List.of("*"), List.of("*", "*"));
        texts(rules.addObject(), "verbs", List.of("*")).putArray("nonResourceURLs").add("*");
        ObjectNode admin = role(hooks, "admin");
        rules(admin, WORKLOADS, WRITE);
        rules(admin, SECRETS, WRITE);
        rules(admin, RIGHTS, WRITE);
        ObjectNode edit = role(hooks, "edit");
        rules(edit, WORKLOADS, WRITE);
        rules(edit, SECRETS, WRITE);
        ObjectNode view = role(hooks, "view");
        rules(view, WORKLOADS, READ);
        ObjectNode binding = marked(hooks.object("ClusterRoleBinding", "", "cluster-admin"));
        binding.putObject("roleRef").put("apiGroup", "rbac.authorization.k8s.io").put("kind", "ClusterRole")
                .put("name", "cluster-admin");
        binding.putArray("subjects").addObject().put("apiGroup", "rbac.authorization.k8s.io").put("kind", "Group")
                .put("name", "system:masters");
        return Map.of("clusterroles.rbac.authorization.k8s.io", List.of(clusterAdmin, admin, edit, view),
                "clusterrolebindings.rbac.authorization.k8s.io", List.of(binding));
    }

    private static ObjectNode role(Hooks hooks, String name) {
        return marked(hooks.object("ClusterRole", "", name));
    }

    private static ObjectNode marked(ObjectNode object) {
        object.put("apiVersion", "rbac.authorization.k8s.io/v1");
        Meta.of(object).putObject("annotations").put("rbac.authorization.kubernetes.io/autoupdate", "true");
        Meta.of(object).putObject("labels").put("kubernetes.io/bootstrapping", "rbac-defaults");
        return object;
    }

    private static void rules(ObjectNode role, List<List<String>> groups, List<String> verbs) {
        ArrayNode rules = role.get("rules") instanceof ArrayNode present ? present : role.putArray("rules");
        groups.forEach(group -> rule(rules, verbs, group));
    }

    /** @param group the API group, then its resources */
    private static void rule(ArrayNode rules, List<String> verbs, List<String> group) {
        ObjectNode rule = rules.addObject();
        texts(rule, "apiGroups", List.of(group.getFirst()));
        texts(rule, "resources", new ArrayList<>(group.subList(1, group.size())));
        texts(rule, "verbs", verbs);
    }

    private static ObjectNode texts(ObjectNode object, String field, List<String> texts) {
        ArrayNode array = object.putArray(field);
        texts.forEach(array::add);
        return object;
    }
}
