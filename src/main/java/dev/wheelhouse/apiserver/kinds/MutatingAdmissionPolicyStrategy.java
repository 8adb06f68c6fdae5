package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.cel.CelExpression.ResultType;

/**
 * Mutating admission policies, whose expressions have to compile (upstream:
 * {@code pkg/registry/admissionregistration/mutatingadmissionpolicy}).
 */
final class MutatingAdmissionPolicyStrategy extends Strategy {
    MutatingAdmissionPolicyStrategy() {
        super(AdmissionRules.GROUP, "MutatingAdmissionPolicy");
    }

    static void mutations(Subject subject) {
        JsonNode spec = subject.value();
        Problems problems = subject.problems();
        PolicyExpressions expressions = new PolicyExpressions(spec, true, problems);
        expressions.conditions();
        expressions.variables();
        Problems.each(spec.path("mutations"), "spec.mutations",
                (mutation, at) -> mutation(mutation, at, expressions, problems));
    }

    private static void mutation(JsonNode mutation, String at, PolicyExpressions expressions, Problems problems) {
        String type = Json.text(mutation, "patchType");
        boolean json = type.equals("JSONPatch");
        if (!json && !type.equals("ApplyConfiguration")) {
            problems.oneOf(at + ".patchType", type, "ApplyConfiguration", "JSONPatch");
            return;
        }
        String wanted = json ? "jsonPatch" : "applyConfiguration";
        String other = json ? "applyConfiguration" : "jsonPatch";
        String expression = Json.text(mutation, wanted, "expression").strip();
        if (!mutation.has(wanted)) {
            problems.required(at + "." + wanted, "must be specified when patchType is " + type);
        } else {
            expressions.require(at + "." + wanted + ".expression", expression, "",
                    json ? ResultType.PATCHES : ResultType.OBJECT);
        }
        if (mutation.has(other)) {
            problems.invalid(at + "." + other, "{" + other + "}", "must not be specified when patchType is " + type);
        }
    }
}
