package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/**
 * Mutating admission policies, which are stored and not applied (upstream:
 * {@code pkg/registry/admissionregistration/mutatingadmissionpolicy}).
 */
final class MutatingAdmissionPolicyStrategy extends Strategy {
    MutatingAdmissionPolicyStrategy() {
        super(AdmissionRules.GROUP, "MutatingAdmissionPolicy", Set.of(Trait.UPDATED_BY_VERSION), Column.objectName(),
                Column.integer("Mutations", "How many changes the policy makes.", o -> o.size("spec", "mutations")),
                AdmissionRules.paramKind(), Column.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put(AdmissionRules.TYPES + "MutatingAdmissionPolicySpec", spec -> set(spec, "failurePolicy", "Fail"));
    }

    @Override
    protected void validate(ObjectNode policy, Problems problems) {
        JsonNode spec = policy.path("spec");
        AdmissionRules.supported(spec, "spec", "failurePolicy", problems, "Fail", "Ignore");
        AdmissionRules.matchConstraints(spec, problems);
        AdmissionRules.conditions(spec.path("matchConditions"), "spec.matchConditions", problems);
        AdmissionRules.paramKind(spec, problems);
        if (spec.path("mutations").isEmpty()) {
            problems.required("spec.mutations", "mutations must contain at least one item");
        }
        int i = 0;
        for (JsonNode mutation : spec.path("mutations")) {
            mutation(mutation, Problems.at("spec.mutations", i++), problems);
        }
        problems.oneOf("spec.reinvocationPolicy", Json.text(spec, "reinvocationPolicy"), "IfNeeded", "Never");
    }

    private static void mutation(JsonNode mutation, String at, Problems problems) {
        String type = Json.text(mutation, "patchType");
        switch (type) {
            case "ApplyConfiguration", "JSONPatch" -> {
                String wanted = type.equals("JSONPatch") ? "jsonPatch" : "applyConfiguration";
                String other = type.equals("JSONPatch") ? "applyConfiguration" : "jsonPatch";
                if (!mutation.has(wanted)) {
                    problems.required(at + "." + wanted, "must be specified when patchType is " + type);
                } else if (Json.text(mutation, wanted, "expression").strip().isEmpty()) {
                    problems.required(at + "." + wanted + ".expression", "expression is not specified");
                }
                if (mutation.has(other)) {
                    problems.invalid(at + "." + other, mutation.get(other), "must not be specified when patchType is "
                            + type);
                }
            }
            case "" -> problems.required(at + ".patchType", "patchType is required");
            default -> problems.notSupported(at + ".patchType", type, "ApplyConfiguration", "JSONPatch");
        }
    }
}
