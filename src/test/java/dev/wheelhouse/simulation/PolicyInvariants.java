package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;

/** At the end each policy has a warning if its expression has an error, and no other. */
record PolicyInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> atEnd() {
        List<String> wrong = new ArrayList<>();
        for (JsonNode policy : truth.list(Api.type(PoliciesWorkload.KIND), JsonNode.class)) {
            int wanted = policy.path("spec").path("validations").toString().contains("wrong") ? 1 : 0;
            int warnings = policy.path("status").path("typeChecking").path("expressionWarnings").size();
            if (warnings != wanted) {
                wrong.add("the policy " + GoldenState.name(policy) + " has " + warnings + " warnings");
            }
        }
        return wrong;
    }
}
