package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/** Pod disruption budgets (upstream: {@code pkg/registry/policy/poddisruptionbudget}). */
final class PodDisruptionBudgetStrategy extends Strategy {
    PodDisruptionBudgetStrategy() {
        super("policy", "PodDisruptionBudget", Set.of(Trait.UPDATED_BY_VERSION), TableColumn.objectName(),
                TableColumn.of("Min Available", "How many pods an eviction must leave available.",
                        o -> o.scalarOr("N/A", "spec", "minAvailable")),
                TableColumn.of("Max Unavailable", "How many pods may be missing after an eviction.",
                        o -> o.scalarOr("N/A", "spec", "maxUnavailable")),
                TableColumn.integer("Allowed Disruptions", "How many pods may be evicted at this moment.",
                        o -> o.number("status", "disruptionsAllowed")),
                TableColumn.age());
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }

    @Override
    protected void validate(ObjectNode budget, Problems problems) {
        JsonNode spec = budget.path("spec");
        JsonNode available = Json.at(spec, "minAvailable");
        JsonNode unavailable = Json.at(spec, "maxUnavailable");
        if (available != null && unavailable != null) {
            problems.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
        }
        WorkloadRules.intOrPercent(available, "spec.minAvailable", problems);
        WorkloadRules.atMostAll(available, "spec.minAvailable", problems);
        WorkloadRules.intOrPercent(unavailable, "spec.maxUnavailable", problems);
        WorkloadRules.atMostAll(unavailable, "spec.maxUnavailable", problems);
        Selectors.validate(Json.at(spec, "selector"), "spec.selector", problems);
        JsonNode policy = Json.at(spec, "unhealthyPodEvictionPolicy");
        if (policy != null && !List.of("AlwaysAllow", "IfHealthyBudget").contains(policy.asString(""))) {
            problems.notSupported("spec.unhealthyPodEvictionPolicy", policy.asString(""), "AlwaysAllow",
                    "IfHealthyBudget");
        }
    }
}
