package dev.wheelhouse.cel;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.fuzz.FuzzTarget;

/** Fuzzes expressions: each compiles or is refused, and its evaluation ends at a bounded cost. */
public final class CelTarget implements FuzzTarget {
    private static final JsonNode OBJECT = Json
            .read("""
                    {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"replicas": 3, "n": 1.5,
                     "t": "10.0.0.1/8", "q": "1Gi",
                    "list": [1, 2, 3, "x"], "map": {"a": 1}, "none": null, "flag": true,
                     "url": "https://e.io:80/p?q=1"}}""");
    private static final JsonNode SCHEMA = Json
            .read("""
                    {"type": "object", "properties": {"metadata": {"type": "object"}, "spec": {"type": "object",
                     "properties": {"replicas":
                    {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}},
                     "t": {"type": "string"}}}}}""");

    @Override
    public void run(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        for (ResultType wanted : List.of(ResultType.ANY, ResultType.OBJECT, ResultType.PATCHES)) {
            try {
                CelExpression expression = PolicyTypes.ofPolicy(false).compile(text, wanted);
                Object object = CelExpression.value(OBJECT);
                Object value = expression.evaluate(Map.of("object", object, "oldObject", object),
                        CelBudget.ofValidations());
                switch (wanted) {
                    case OBJECT -> PatchValues.configuration(value);
                    case PATCHES -> PatchValues.operations(value);
                    default -> {
                    }
                }
            } catch (RuleException | CelExpression.EvaluationException e) {
                // A refusal is a valid outcome.
            }
        }
        JsonNode rule = Json.object().put("rule", text).put("messageExpression", "'no: ' + string(self.spec.replicas)");
        try {
            CelRule.Checker checker = new CelRule.Checker(SCHEMA, true);
            checker.rule(rule);
            checker.message(rule);
            CelRule.compile(rule).check(CelExpression.value(OBJECT), null, CelBudget.ofValidations());
        } catch (RuleException e) {
            // A refusal is a valid outcome.
        }
    }

    /** Google's compiler allocates much, and each new expression is compiled six times. */
    @Override
    public long mostAllocated(int length) {
        return (256L << 20) + 4096L * length;
    }
}
