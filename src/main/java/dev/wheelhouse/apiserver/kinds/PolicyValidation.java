package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.cel.CelExpression;
import dev.wheelhouse.apiserver.cel.RuleException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/** The expressions of ValidatingAdmissionPolicies (upstream: {@code pkg/apis/admissionregistration/validation}). */
public final class PolicyValidation {
    /** What the expressions of a policy speak of. There is no {@code authorizer}. */
    public static final Set<String> VARIABLES = Set.of("object", "oldObject", "request", "params", "namespaceObject",
            "variables");

    private PolicyValidation() {}

    static void policy(ObjectNode policy, Problems problems) {
        JsonNode spec = policy.path("spec");
        AdmissionValidation.matchConstraints(spec, problems);
        AdmissionValidation.conditions(spec.path("matchConditions"), "spec.matchConditions", problems);
        if (spec.has("paramKind")) {
            AdmissionValidation.paramKind(spec.path("paramKind"), problems);
        }
        if (spec.path("validations").isEmpty() && spec.path("auditAnnotations").isEmpty()) {
            problems.required("spec.validations",
                    "validations or auditAnnotations must contain at least one item");
        }
        expressions(spec, "matchConditions", "expression", CelExpression.ResultType.BOOL, problems);
        expressions(spec, "variables", "expression", CelExpression.ResultType.ANY, problems);
        expressions(spec, "validations", "expression", CelExpression.ResultType.BOOL, problems);
        expressions(spec, "validations", "messageExpression", CelExpression.ResultType.STRING, problems);
    }

    private static void expressions(JsonNode spec, String list, String field, CelExpression.ResultType wanted,
            Problems problems) {
        int i = 0;
        for (JsonNode entry : spec.path(list)) {
            String at = Problems.at("spec." + list, i++) + "." + field;
            String expression = Json.text(entry, field).strip();
            if (expression.isEmpty()) {
                if (field.equals("expression")) {
                    problems.required(at, "expression is not specified");
                }
                continue;
            }
            try {
                CelExpression.compile(expression, VARIABLES, wanted);
            } catch (RuleException e) {
                problems.invalid(at, expression, String.valueOf(e.getMessage()));
            }
        }
    }
}
