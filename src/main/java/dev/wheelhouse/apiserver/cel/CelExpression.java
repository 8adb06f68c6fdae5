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

/** A compiled expression over variables of any type, as admission policies use it. Immutable, thread safe. */
public final class CelExpression {
    /** The variables of the expressions of admission policies. There is no {@code authorizer}. */
    public static final Set<String> OF_POLICIES = Set.of("object", "oldObject", "request", "params", "namespaceObject",
            "variables");

    private final CelRuntime.Program program;

    /** The type of result that an expression must have. */
    public enum ResultType {
        BOOL(SimpleType.BOOL), STRING(SimpleType.STRING), ANY(SimpleType.DYN);

        private final CelType type;

        ResultType(CelType type) {
            this.type = type;
        }
    }

    private CelExpression(CelRuntime.Program program) {
        this.program = program;
    }

    /** @throws RuleException if it does not compile, or cannot have the wanted type */
    public static CelExpression compile(String expression, Set<String> variables, ResultType wanted)
            throws RuleException {
        CelCompilerBuilder builder = CelEnvironment.builder();
        variables.forEach(name -> builder.addVar(name, SimpleType.DYN));
        return new CelExpression(CelEnvironment.program(builder.build(), "expression", expression, wanted.type));
    }

    /** The CEL value of JSON without a schema. */
    public static Object value(JsonNode json) {
        return CelValues.of(json, Json.object(), false);
    }

    /**
     * @param budget is charged for the evaluation
     * @throws EvaluationException if the evaluation fails or exceeds the budget
     */
    public Object evaluate(Map<String, Object> variables, CelBudget budget) throws EvaluationException {
        if (budget.isSpent()) {
            throw new EvaluationException(
                    "validation failed due to running out of cost budget, no further validation rules will be run");
        }
        try {
            return budget.evaluate(program, variables);
        } catch (CelEvaluationException | CelBudget.ExceededException e) {
            throw new EvaluationException(CelRule.truncated(String.valueOf(e.getMessage())));
        }
    }

    /** An expression could not be evaluated. The message is upstream's where upstream has one. */
    public static final class EvaluationException extends Exception {
        private static final long serialVersionUID = 1;

        EvaluationException(String message) {
            super(message);
        }
    }
}
