package dev.wheelhouse.apiserver.admission;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;

/** The compiled match conditions of webhooks. Bounded. Thread safe. */
final class Expressions {
    private static final int MOST_COMPILED = 1_000;

    /** By the text of the expression. */
    private final Map<String, CompiledExpression> compiled = new ConcurrentHashMap<>();

    /** Evaluates {@code matchConditions}. */
    CompiledExpression.Match match(JsonNode conditions, Map<String, Object> values) {
        return CompiledExpression.match(
                conditions.valueStream().map(condition -> compiled(Json.text(condition, "expression"))).toList(),
                values, CelBudget.ofConditions());
    }

    private CompiledExpression compiled(String text) {
        CompiledExpression known = compiled.get(text);
        if (known == null) {
            known = CompiledExpression.of(text, ResultType.BOOL, PolicyTypes.ofConditions(false));
            if (compiled.size() >= MOST_COMPILED) {
                compiled.clear();
            }
            compiled.put(text, known);
        }
        return known;
    }
}
