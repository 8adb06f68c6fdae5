package dev.wheelhouse.apiserver.cel;

import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;

/** One expression over variables of any type, compiled. Immutable, safe for use by many threads. */
public final class CelExpression {
    private final CelRuntime.Program program;

    /** What an expression is to say. */
    public enum Wanted {
        TRUTH(SimpleType.BOOL), TEXT(SimpleType.STRING), ANYTHING(SimpleType.DYN);

        private final CelType type;

        Wanted(CelType type) {
            this.type = type;
        }
    }

    private CelExpression(CelRuntime.Program program) {
        this.program = program;
    }

    /** @throws RuleException if it does not compile, or surely says something else */
    public static CelExpression compile(String expression, Set<String> variables, Wanted wanted) throws RuleException {
        CelCompilerBuilder builder = CelEnvironment.builder();
        variables.forEach(name -> builder.addVar(name, SimpleType.DYN));
        return new CelExpression(CelEnvironment.program(builder.build(), "expression", expression, wanted.type));
    }

    /** JSON as CEL has it, without a schema. */
    public static Object value(JsonNode json) {
        return CelValues.of(json, Json.object(), false);
    }

    /**
     * @param budget pays for the evaluation
     * @throws EvaluationException if it comes to no value, or the budget to its end
     */
    public Object evaluate(Map<String, Object> variables, CelBudget budget) throws EvaluationException {
        if (budget.isSpent()) {
            throw new EvaluationException(
                    "validation failed due to running out of cost budget, no further validation rules will be run");
        }
        try {
            return budget.evaluate(program, variables);
        } catch (CelEvaluationException | CelBudget.ExceededException e) {
            throw new EvaluationException(CelRule.shortened(String.valueOf(e.getMessage())));
        }
    }

    /** Why an expression has no value. */
    public static final class EvaluationException extends Exception {
        private static final long serialVersionUID = 1;

        EvaluationException(String message) {
            super(message);
        }
    }
}
