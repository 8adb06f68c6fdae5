package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.cel.CelExpression;
import dev.wheelhouse.apiserver.cel.RuleException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/**
 * Validating admission policies, whose expressions have to compile (upstream:
 * {@code pkg/registry/admissionregistration/validatingadmissionpolicy}).
 */
final class ValidatingAdmissionPolicyStrategy extends Strategy {
    ValidatingAdmissionPolicyStrategy() {
        super(AdmissionRules.GROUP, "ValidatingAdmissionPolicy", Set.of(Trait.UPDATED_BY_VERSION), Column.objectName(),
                Column.integer("Validations", "How many rules the policy checks.", o -> o.size("spec", "validations")),
                AdmissionRules.paramKind(), Column.age());
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
        AdmissionRules.matchConstraints(spec, problems);
        AdmissionRules.conditions(spec.path("matchConditions"), "spec.matchConditions", problems);
        AdmissionRules.paramKind(spec, problems);
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
                CelExpression.compile(expression, CelExpression.OF_POLICIES, wanted);
            } catch (RuleException e) {
                problems.invalid(at, expression, String.valueOf(e.getMessage()));
            }
        }
    }
}
