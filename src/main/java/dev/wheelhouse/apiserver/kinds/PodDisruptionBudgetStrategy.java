package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;

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
}
