package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.cel.CelExpression.ResultType;

/**
 * Validating admission policies, whose expressions have to compile (upstream:
 * {@code pkg/registry/admissionregistration/validatingadmissionpolicy}).
 */
final class ValidatingAdmissionPolicyStrategy extends Strategy {
    ValidatingAdmissionPolicyStrategy() {
        super(AdmissionRules.GROUP, "ValidatingAdmissionPolicy", Map.of("paramKind", AdmissionRules::paramKind));
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        AdmissionRules.addChecks(checks);
        checks.put("validations", ValidatingAdmissionPolicyStrategy::validations);
    }

    private static void validations(Subject subject) {
        JsonNode spec = subject.value();
        Problems problems = subject.problems();
        PolicyExpressions expressions = new PolicyExpressions(spec, !spec.path("variables").isEmpty(), problems);
        expressions.conditions();
        expressions.variables();
        if (spec.path("validations").isEmpty() && spec.path("auditAnnotations").isEmpty()) {
            for (String list : List.of("validations", "auditAnnotations")) {
                problems.required("spec." + list, "validations or auditAnnotations must contain at least one item");
            }
        }
        Problems.each(spec.path("validations"), "spec.validations", (validation, at) -> {
            String expression = Json.text(validation, "expression");
            if (expression.isBlank()) {
                problems.required(at + ".expression", "expression is not specified");
            } else {
                expressions.compile(at + ".expression", expression, ResultType.BOOL);
            }
            String message = Json.text(validation, "messageExpression");
            if (!message.isBlank()) {
                expressions.compile(at + ".messageExpression", message, ResultType.STRING);
            }
        });
    }
}
