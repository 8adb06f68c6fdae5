package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/** Validates roles and their bindings (upstream: {@code pkg/apis/rbac/validation}). */
final class RbacValidation {
    private static final String GROUP = "rbac.authorization.k8s.io";

    private RbacValidation() {}

    static void role(ObjectNode role, boolean cluster, Problems problems) {
        JsonNode aggregation = Json.at(role, "aggregationRule");
        if (cluster && aggregation != null) {
            JsonNode selectors = aggregation.path("clusterRoleSelectors");
            if (selectors.isEmpty()) {
                problems.required("aggregationRule.clusterRoleSelectors",
                        "at least one clusterRoleSelector required if aggregationRule is non-nil");
            }
            for (int i = 0; i < selectors.size(); i++) {
                Selectors.validate(selectors.get(i), Problems.at("aggregationRule.clusterRoleSelectors", i), problems);
            }
        }
        if (!(role.get("rules") instanceof ArrayNode rules)) {
            return;
        }
        for (int i = 0; i < rules.size(); i++) {
            rule(rules.get(i), cluster, "rules[" + i + "]", problems);
        }
    }

    private static void rule(JsonNode rule, boolean cluster, String path, Problems problems) {
        if (isEmpty(rule, "verbs")) {
            problems.required(path + ".verbs", "verbs must contain at least one value");
        }
        if (!isEmpty(rule, "nonResourceURLs")) {
            JsonNode urls = rule.get("nonResourceURLs");
            if (!cluster) {
                problems.invalid(path + ".nonResourceURLs", urls,
                        "namespaced rules cannot apply to non-resource URLs");
            }
            if (!isEmpty(rule, "apiGroups") || !isEmpty(rule, "resources") || !isEmpty(rule, "resourceNames")) {
                problems.invalid(path + ".nonResourceURLs", urls,
                        "rules cannot apply to both regular resources and non-resource URLs");
            }
            return;
        }
        if (isEmpty(rule, "apiGroups")) {
            problems.required(path + ".apiGroups", "resource rules must supply at least one api group");
        }
        if (isEmpty(rule, "resources")) {
            problems.required(path + ".resources", "resource rules must supply at least one resource");
        }
    }

    private static boolean isEmpty(JsonNode rule, String field) {
        return !(rule.get(field) instanceof ArrayNode values) || values.isEmpty();
    }

    static void binding(ObjectNode binding, boolean cluster, Problems problems) {
        String group = Json.text(binding, "roleRef", "apiGroup");
        if (!group.equals(GROUP)) {
            problems.notSupported("roleRef.apiGroup", group, GROUP);
        }
        List<String> kinds = cluster ? List.of("ClusterRole") : List.of("Role", "ClusterRole");
        String kind = Json.text(binding, "roleRef", "kind");
        if (!kinds.contains(kind)) {
            problems.notSupported("roleRef.kind", kind, kinds.toArray(String[]::new));
        }
        if (Json.text(binding, "roleRef", "name").isEmpty()) {
            problems.required("roleRef.name");
        }
        if (binding.get("subjects") instanceof ArrayNode subjects) {
            for (int i = 0; i < subjects.size(); i++) {
                subject(subjects.get(i), cluster, "subjects[" + i + "]", problems);
            }
        }
    }

    static void bindingUpdate(ObjectNode binding, ObjectNode old, boolean cluster, Problems problems) {
        binding(binding, cluster, problems);
        JsonNode now = binding.get("roleRef");
        if (now != null && !now.equals(old.get("roleRef"))) {
            ObjectNode shown = Json.object();
            shown.put("APIGroup", Json.text(now, "apiGroup")).put("Kind", Json.text(now, "kind"))
                    .put("Name", Json.text(now, "name"));
            problems.invalid("roleRef", shown, "cannot change roleRef");
        }
    }

    private static void subject(JsonNode subject, boolean cluster, String path, Problems problems) {
        String name = Json.text(subject, "name");
        String group = Json.text(subject, "apiGroup");
        if (name.isEmpty()) {
            problems.required(path + ".name");
        }
        switch (Json.text(subject, "kind")) {
            case "ServiceAccount" -> {
                if (!name.isEmpty()) {
                    Formats.dnsSubdomain(name).forEach(problem -> problems.invalid(path + ".name", name, problem));
                }
                if (!group.isEmpty()) {
                    problems.notSupported(path + ".apiGroup", group, "");
                }
                if (cluster && Json.text(subject, "namespace").isEmpty()) {
                    problems.required(path + ".namespace");
                }
            }
            case "User", "Group" -> {
                if (!group.equals(GROUP)) {
                    problems.notSupported(path + ".apiGroup", group, GROUP);
                }
            }
            default -> problems.notSupported(path + ".kind", Json.text(subject, "kind"), "ServiceAccount", "User",
                    "Group");
        }
    }
}
