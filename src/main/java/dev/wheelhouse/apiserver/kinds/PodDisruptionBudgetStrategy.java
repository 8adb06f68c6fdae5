package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Pod disruption budgets (upstream: {@code pkg/registry/policy/poddisruptionbudget}). */
final class PodDisruptionBudgetStrategy extends Strategy {
    PodDisruptionBudgetStrategy() {
        super("policy", "PodDisruptionBudget");
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        WorkloadRules.disruptionBudget(object, problems);
    }
}
