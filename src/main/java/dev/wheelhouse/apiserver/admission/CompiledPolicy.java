package dev.wheelhouse.apiserver.admission;

import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression;
import dev.wheelhouse.cel.CelExpression.EvaluationException;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;

/**
 * The compiled expressions of one admission policy (upstream:
 * {@code apiserver/pkg/admission/plugin/cel/composition.go}, {@code plugin/policy/mutating/compilation.go}). Immutable.
 */
final class CompiledPolicy {
    private final Map<String, CompiledExpression> variables = new LinkedHashMap<>();
    private final List<CompiledExpression> conditions;
    private final List<Validation> validations = new ArrayList<>();
    private final List<Mutation> mutations = new ArrayList<>();

    /**
     * A rule of a validating policy.
     *
     * @param rule as it is written
     * @param message computes the message of a failure; null for none
     */
    record Validation(JsonNode rule, CompiledExpression expression, @Nullable CompiledExpression message) {}

    /** @param isJsonPatch whether the expression makes a JSON patch, not an apply configuration */
    record Mutation(CompiledExpression expression, boolean isJsonPatch) {}

    CompiledPolicy(JsonNode spec) {
        PolicyTypes types = PolicyTypes.ofPolicy(spec.has("paramKind"));
        for (JsonNode variable : spec.path("variables")) {
            String name = Json.text(variable, "name");
            String text = Json.text(variable, "expression");
            variables.put(name, CompiledExpression.of(text, ResultType.ANY, types));
            types.addVariable(name, text);
        }
        conditions = spec.path("matchConditions").valueStream()
                .map(condition -> CompiledExpression.of(Json.text(condition, "expression"), ResultType.BOOL, types))
                .toList();
        for (JsonNode rule : spec.path("validations")) {
            String message = Json.text(rule, "messageExpression");
            validations.add(new Validation(rule,
                    CompiledExpression.of(Json.text(rule, "expression"), ResultType.BOOL, types),
                    message.isEmpty() ? null : CompiledExpression.of(message, ResultType.STRING, types)));
        }
        for (JsonNode mutation : spec.path("mutations")) {
            boolean json = Json.text(mutation, "patchType").equals("JSONPatch");
            mutations.add(new Mutation(
                    CompiledExpression.of(Json.text(mutation, json ? "jsonPatch" : "applyConfiguration", "expression"),
                            json ? ResultType.PATCHES : ResultType.OBJECT, types),
                    json));
        }
    }

    List<Validation> validations() {
        return validations;
    }

    List<Mutation> mutations() {
        return mutations;
    }

    /** Whether the match conditions hold. As with upstream, they do not see the namespace. */
    CompiledExpression.Match match(Map<String, Object> known, Object params) {
        CelBudget budget = CelBudget.ofConditions();
        Map<String, Object> values = values(known, params, budget);
        values.put("namespaceObject", CelExpression.value(NullNode.getInstance()));
        return CompiledExpression.match(conditions, values, budget);
    }

    /**
     * All that expressions can name. A variable is computed when an expression reads it, and once.
     *
     * @param known the values that do not depend on the policy
     * @param budget is charged for the variables
     */
    Map<String, Object> values(Map<String, Object> known, Object params, CelBudget budget) {
        Map<String, Object> values = new HashMap<>(known);
        values.put("params", params);
        values.put("variables", new Variables(values, budget));
        return values;
    }

    /** The variables; only those that were read are listed. */
    private final class Variables extends AbstractMap<String, Object> {
        private final Map<String, Object> values;
        private final CelBudget budget;
        private final Map<String, Object> computed = new HashMap<>();

        Variables(Map<String, Object> values, CelBudget budget) {
            this.values = values;
            this.budget = budget;
        }

        @Override
        public boolean containsKey(Object name) {
            return variables.containsKey(name);
        }

        @Override
        public @Nullable Object get(Object name) {
            CompiledExpression variable = variables.get(name);
            Object known = computed.get(name);
            if (known != null || variable == null) {
                return known;
            }
            try {
                if (variable.expression() == null) {
                    throw new FailedVariable("composited variable \"" + name + "\" fails to compile: "
                            + variable.problem());
                }
                Object value = variable.expression().evaluate(values, budget);
                computed.put((String) name, value);
                return value;
            } catch (EvaluationException e) {
                throw new FailedVariable("composited variable \"" + name + "\" fails to evaluate: " + e.getMessage());
            }
        }

        @Override
        public Set<Entry<String, Object>> entrySet() {
            return computed.entrySet();
        }
    }

    /** Ends the evaluation of an expression that reads a variable without a value. */
    private static final class FailedVariable extends RuntimeException {
        private static final long serialVersionUID = 1;

        FailedVariable(String message) {
            super(message);
        }
    }
}
