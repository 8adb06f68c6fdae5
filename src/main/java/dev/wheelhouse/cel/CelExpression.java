package dev.wheelhouse.cel;

import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.runtime.CelEvaluationException;

/**
 * A compiled expression of an admission policy or of a webhook's match conditions. {@link PolicyTypes} compiles it.
 * Immutable, thread safe.
 */
public final class CelExpression {
    private final CelProgram program;

    /** The type of result that an expression must have. */
    public enum ResultType {
        BOOL("bool"), STRING("string"), ANY(""),
        /** An apply configuration, which {@link PatchValues#configuration} reads. */
        OBJECT(PatchTypes.OBJECT),
        /** The operations of a JSON patch, which {@link PatchValues#operations} reads. */
        PATCHES("list(" + PatchTypes.JSON_PATCH + ")");

        private final String type;

        ResultType(String type) {
            this.type = type;
        }

        boolean isPatch() {
            return this == OBJECT || this == PATCHES;
        }

        /** @throws RuleException if an expression of this type may not stand here */
        void check(CelType found) throws RuleException {
            if (this != ANY && !CelTypes.format(found).equals(type)) {
                throw new RuleException("expression",
                        "must evaluate to " + type + " but got " + CelTypes.format(found));
            }
        }
    }

    CelExpression(CelProgram program) {
        this.program = program;
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
            throw new EvaluationException(CelRule.truncated(CelEnvironment.words(e)));
        }
    }

    /** An expression could not be evaluated. The message is upstream's where upstream has one. */
    public static final class EvaluationException extends Exception {
        public EvaluationException(String message) {
            super(message);
        }
    }
}
