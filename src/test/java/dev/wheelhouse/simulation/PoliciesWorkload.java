package dev.wheelhouse.simulation;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.policy.PolicyStatusController;

/** Policies whose expressions an administrator gets wrong and right, deletes and writes again. None is bound. */
final class PoliciesWorkload extends Workload {
    static final String KIND = "validatingadmissionpolicy";
    private static final int POLICIES = 2;

    PoliciesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(PolicyStatusController.NAME);
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String policy = name + "-" + random.nextInt(POLICIES);
            steps.add(random.nextInt(4) == 0 ? Step.remove(KIND, policy) : write(policy, random.nextBoolean()));
        }
    }

    private static Step write(String policy, boolean wrong) {
        String spec = """
                {"metadata": {"name": "%s"}, "spec": {"matchConstraints": {"resourceRules": [{"apiGroups":
                 ["coordination.k8s.io"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["leases"]}]},
                 "validations": [{"expression": "object.spec.%s != ''"}]}}""".formatted(policy,
                wrong ? "wrong" : "holderIdentity");
        return Step.write(KIND, policy, spec, "writes the policy " + policy + (wrong ? " with an error" : ""));
    }

    /** {@inheritDoc} A policy has a warning if its expression has an error, and no other. */
    @Override
    public boolean isSeen(Api api) {
        return own(api, KIND).stream().allMatch(policy -> Api.isObserved(policy)
                && policy.path("status").path("typeChecking").path("expressionWarnings").isEmpty() != isWrong(policy));
    }

    private static boolean isWrong(JsonNode policy) {
        return policy.path("spec").path("validations").toString().contains("wrong");
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        own(api, KIND).forEach(policy -> lines.put(ObjectFields.name(policy), policy.path("spec").path("validations")
                .toString()));
        return lines;
    }
}
