package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.cel.CelExpression.ResultType;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Validating admission policies, whose expressions have to compile (upstream:
 * {@code pkg/registry/admissionregistration/validatingadmissionpolicy}).
 */
final class ValidatingAdmissionPolicyStrategy extends Strategy {
    ValidatingAdmissionPolicyStrategy() {
        super(AdmissionRules.GROUP, "ValidatingAdmissionPolicy", Set.of(Trait.UPDATED_BY_VERSION),
                TableColumn.objectName(),
                TableColumn.integer("Validations", "How many rules the policy checks.",
                        o -> o.size("spec", "validations")),
                AdmissionRules.paramKind(), TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put(AdmissionRules.TYPES + "ValidatingAdmissionPolicySpec", spec -> set(spec, "failurePolicy", "Fail"));
        rules.put(AdmissionRules.TYPES + "NamedRuleWithOperations", rule -> set(rule, "scope", "*"));
        rules.put(AdmissionRules.TYPES + "MatchResources", AdmissionRules::matchAll);
    }

    @Override
    protected void validate(ObjectNode policy, Problems problems) {
        JsonNode spec = policy.path("spec");
        AdmissionRules.supported(spec, "spec", "failurePolicy", problems, "Fail", "Ignore");
        AdmissionRules.paramKind(spec, problems);
        AdmissionRules.matchConstraints(spec, problems);
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
