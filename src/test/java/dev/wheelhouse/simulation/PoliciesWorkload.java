package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.policy.PolicyStatusController;

/** Policies whose expressions an administrator gets wrong and right, deletes and writes again. None is bound. */
final class PoliciesWorkload extends NamedWorkload {
    static final String KIND = "validatingadmissionpolicy";
    private static final int POLICIES = 2;

    PoliciesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String policy = name + "-" + random.nextInt(POLICIES);
            steps.add(random.nextInt(4) == 0 ? deletion(policy) : write(policy, random.nextBoolean()));
        }
    }

    private static Step write(String policy, boolean wrong) {
        String spec = """
                {"metadata": {"name": "%s"}, "spec": {"matchConstraints": {"resourceRules": [{"apiGroups":
                 ["coordination.k8s.io"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["leases"]}]},
                 "validations": [{"expression": "object.spec.%s != ''"}]}}""".formatted(policy,
                wrong ? "wrong" : "holderIdentity");
        return new Step("writes the policy " + policy + (wrong ? " with an error" : ""), e -> {
            if (e.api().find(KIND, policy) == null) {
                e.api().create(KIND, spec);
            } else {
                Api.expect(e.api().patch(KIND, policy, "merge", Json.read(spec)));
            }
        });
    }

    private static Step deletion(String policy) {
        return new Step("deletes the policy " + policy, e -> {
            if (e.api().find(KIND, policy) != null) {
                e.api().delete(KIND, policy, "Background");
            }
        });
    }

    @Override
    public Set<String> controllers() {
        return Set.of(PolicyStatusController.NAME);
    }

    private List<JsonNode> own(Api api) {
        return api.list(KIND).stream().filter(o -> ObjectFields.name(o).startsWith(name + "-")).toList();
    }

    /** {@inheritDoc} A policy has a warning if its expression has an error, and no other. */
    @Override
    public boolean isSeen(Api api) {
        return own(api).stream().allMatch(policy -> Api.isObserved(policy)
                && policy.path("status").path("typeChecking").path("expressionWarnings").isEmpty() != isWrong(policy));
    }

    private static boolean isWrong(JsonNode policy) {
        return policy.path("spec").path("validations").toString().contains("wrong");
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        own(api).forEach(policy -> lines.put(ObjectFields.name(policy), policy.path("spec").path("validations")
                .toString()));
        return lines;
    }
}
