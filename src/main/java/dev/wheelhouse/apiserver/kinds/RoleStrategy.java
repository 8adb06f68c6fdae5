package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Roles of a namespace, and the base of the strategy of cluster roles (upstream: {@code pkg/registry/rbac/role}). */
class RoleStrategy extends Strategy {
    RoleStrategy() {
        this("Role");
    }

    RoleStrategy(String kind) {
        super("rbac.authorization.k8s.io", kind, Set.of(Trait.CREATED_BY_UPDATE));
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }

    @Override
    protected void validate(ObjectNode role, Problems problems) {
        Problems.each(role.path("rules"), "rules", (rule, at) -> rule(rule, at, problems));
    }

    private void rule(JsonNode rule, String path, Problems problems) {
        problems.filled(rule, path, "verbs", "verbs must contain at least one value");
        if (!rule.path("nonResourceURLs").isEmpty()) {
            JsonNode urls = rule.get("nonResourceURLs");
            if (!allowsUrls()) {
                problems.invalid(path + ".nonResourceURLs", urls,
                        "namespaced rules cannot apply to non-resource URLs");
            }
            if (!rule.path("apiGroups").isEmpty() || !rule.path("resources").isEmpty()
                    || !rule.path("resourceNames").isEmpty()) {
                problems.invalid(path + ".nonResourceURLs", urls,
                        "rules cannot apply to both regular resources and non-resource URLs");
            }
            return;
        }
        problems.filled(rule, path, "apiGroups", "resource rules must supply at least one api group");
        problems.filled(rule, path, "resources", "resource rules must supply at least one resource");
    }

    /** Whether a rule may give rights to URLs that are no resources. */
    boolean allowsUrls() {
        return false;
    }
}
