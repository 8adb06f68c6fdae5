package dev.wheelhouse.apiserver.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.cel.CelBudget;
import dev.wheelhouse.apiserver.cel.CelExpression;
import dev.wheelhouse.apiserver.cel.RuleException;
import dev.wheelhouse.apiserver.json.Json;

/** The compiled expressions of policies and webhooks. Bounded. Thread safe. */
final class Expressions {
    private static final int MOST_COMPILED = 1_000;

    /** By the text of the expression. */
    private final Map<String, CelExpression> compiled = new ConcurrentHashMap<>();

    /**
     * Whether all conditions hold.
     *
     * @param problem if none is false but some could not be evaluated: why; else empty
     */
    record Match(boolean holds, String problem) {}

    /** Evaluates {@code matchConditions} (upstream: {@code admission/plugin/webhook/matchconditions}). */
    Match match(JsonNode conditions, Map<String, Object> values) {
        CelBudget budget = CelBudget.ofConditions();
        List<String> problems = new ArrayList<>();
        for (JsonNode condition : conditions) {
            String expression = Json.text(condition, "expression");
            try {
                if (!Boolean.TRUE
                        .equals(compiled(expression, CelExpression.ResultType.BOOL).evaluate(values, budget))) {
                    return new Match(false, "");
                }
            } catch (CelExpression.EvaluationException | RuleException e) {
                problems.add(problem(expression, e));
            }
        }
        return new Match(problems.isEmpty(), switch (problems.size()) {
            case 0 -> "";
            case 1 -> problems.getFirst();
            default -> "[" + String.join(", ", problems) + "]";
        });
    }

    static String problem(String expression, Exception problem) {
        return "expression '" + expression.strip() + "' resulted in error: " + problem.getMessage();
    }

    CelExpression compiled(String text, CelExpression.ResultType wanted) throws RuleException {
        CelExpression known = compiled.get(text);
        if (known == null) {
            known = CelExpression.compile(text, CelExpression.OF_POLICIES, wanted);
            if (compiled.size() >= MOST_COMPILED) {
                compiled.clear();
            }
            compiled.put(text, known);
        }
        return known;
    }
}
