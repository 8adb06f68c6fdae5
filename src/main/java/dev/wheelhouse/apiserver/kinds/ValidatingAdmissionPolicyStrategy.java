package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.cel.CelExpression.ResultType;

/**
 * Validating admission policies, whose expressions have to compile (upstream:
 * {@code pkg/registry/admissionregistration/validatingadmissionpolicy}).
 */
final class ValidatingAdmissionPolicyStrategy extends Strategy {
    private static final int MOST_ANNOTATIONS = 20;
    private static final int MOST_CHARACTERS = 5 * 1024;

    ValidatingAdmissionPolicyStrategy() {
        super(AdmissionRules.GROUP, "ValidatingAdmissionPolicy");
    }

    static void validations(Subject subject) {
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
            expressions.require(at + ".expression", Json.text(validation, "expression"),
                    "expression is not specified", ResultType.BOOL);
            String message = Json.text(validation, "messageExpression");
            if (!message.isBlank()) {
                expressions.compile(at + ".messageExpression", message, ResultType.STRING);
            }
            if (validation.has("reason")) {
                problems.supported(at + ".reason", Json.text(validation, "reason"), "Forbidden", "Invalid",
                        "RequestEntityTooLarge");
            }
        });
        annotations(subject, expressions);
    }

    private static void annotations(Subject policy, PolicyExpressions expressions) {
        Problems problems = policy.problems();
        JsonNode annotations = policy.value().path("auditAnnotations");
        String name = Json.text(policy.root(), "metadata", "name");
        if (annotations.size() > MOST_ANNOTATIONS) {
            problems.invalid("spec.auditAnnotations", annotations,
                    "must not have more than " + MOST_ANNOTATIONS + " auditAnnotations");
            return;
        }
        Set<String> keys = new HashSet<>();
        Problems.each(annotations, "spec.auditAnnotations", (annotation, at) -> {
            String key = Json.text(annotation, "key");
            String expression = Json.text(annotation, "valueExpression").strip();
            if (name.isEmpty()) {
                problems.invalid(at + ".key", key, "requires metadata.name be non-empty");
            } else {
                problems.invalid(at + ".key", name + "/" + key, Formats.qualifiedName(name + "/" + key));
            }
            if (expression.length() > MOST_CHARACTERS) {
                problems.required(at + ".valueExpression",
                        "must not exceed " + MOST_CHARACTERS + " bytes in length");
            } else {
                expressions.require(at + ".valueExpression", expression, "valueExpression is not specified",
                        ResultType.STRING);
            }
            problems.unique(keys, key, at + ".key", "\"" + key + "\"");
        });
    }
}
