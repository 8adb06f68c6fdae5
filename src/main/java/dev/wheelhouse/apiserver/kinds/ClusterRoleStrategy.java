package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/** Cluster roles, some of which aggregate others (upstream: {@code pkg/registry/rbac/clusterrole}). */
final class ClusterRoleStrategy extends RoleStrategy {
    ClusterRoleStrategy() {
        super("ClusterRole");
    }

    @Override
    protected void validate(ObjectNode role, Problems problems) {
        JsonNode aggregation = Json.at(role, "aggregationRule");
        if (aggregation != null) {
            JsonNode selectors = aggregation.path("clusterRoleSelectors");
            if (selectors.isEmpty()) {
                problems.required("aggregationRule.clusterRoleSelectors",
                        "at least one clusterRoleSelector required if aggregationRule is non-nil");
            }
            Problems.each(selectors, "aggregationRule.clusterRoleSelectors",
                    (selector, at) -> Selectors.validate(selector, at, problems));
        }
        super.validate(role, problems);
    }

    @Override
    boolean allowsUrls() {
        return true;
    }
}
