package dev.wheelhouse.apiserver.admission;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression;
import dev.wheelhouse.cel.CelExpression.EvaluationException;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;
import dev.wheelhouse.cel.RuleException;

/**
 * An expression of a policy or webhook, compiled once.
 *
 * @param expression null if the text does not compile
 * @param problem why it does not compile; empty if it does
 */
record CompiledExpression(String text, @Nullable CelExpression expression, String problem) {
    static CompiledExpression of(String text, ResultType wanted, PolicyTypes types) {
        try {
            return new CompiledExpression(text, types.compile(text, wanted), "");
        } catch (RuleException e) {
            return new CompiledExpression(text, null, String.valueOf(e.getMessage()));
        }
    }

    /** @throws EvaluationException with the expression in its message */
    Object evaluate(Map<String, Object> values, CelBudget budget) throws EvaluationException {
        if (expression == null) {
            throw new EvaluationException("compilation error: " + problem);
        }
        boolean spent = budget.isSpent();
        try {
            return expression.evaluate(values, budget);
        } catch (EvaluationException e) {
            throw spent
                    ? e
                    : new EvaluationException("expression '" + text + "' resulted in error: " + e.getMessage());
        }
    }

    /**
     * Whether all conditions hold.
     *
     * @param problem if none is false but some could not be evaluated: why; else empty
     */
    record Match(boolean holds, String problem) {}

    /**
     * Evaluates {@code matchConditions} (upstream: {@code admission/plugin/webhook/matchconditions}).
     *
     * @param budget of all of them together
     */
    static Match match(List<CompiledExpression> conditions, Map<String, Object> values, CelBudget budget) {
        Set<String> problems = new LinkedHashSet<>();
        for (CompiledExpression condition : conditions) {
            try {
                if (!Boolean.TRUE.equals(condition.evaluate(values, budget))) {
                    return new Match(false, "");
                }
            } catch (EvaluationException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        return new Match(problems.isEmpty(), problems.isEmpty() ? "" : Errors.all(List.copyOf(problems)));
    }
}
