package dev.wheelhouse.cel;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.runtime.CelEvaluationException;

/**
 * A compiled validation rule, one element of {@code x-kubernetes-validations} (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/schema/cel}). At run time {@code self} and {@code oldSelf} have dynamic
 * types. {@link Checker} checks the types when a definition is created.
 *
 * <p>Rules may use CEL's functions, its extensions for strings, sets, lists, math, regular expressions and optionals,
 * and those of {@link KubernetesLibrary}. Immutable, thread safe.
 *
 * @param message of a failure; empty if the rule has none
 * @param reason of a failure, one of four values such as {@code FieldValueInvalid}; empty if the rule has none
 * @param fieldPath the field below the value that a failure is reported for, as {@code .spec.x}; empty for the value
 *     itself
 * @param isTransition whether the rule uses the old value. It then applies to changes only
 * @param messageProgram computes the message; null if the rule does not
 */
public record CelRule(String rule, String message, String reason, String fieldPath, boolean isTransition,
        boolean optionalOldSelf, CelProgram program, @Nullable CelProgram messageProgram) {
    private static final Pattern OLD_SELF = Pattern.compile("\\boldSelf\\b");
    /** The most characters of a computed message (upstream: {@code MaxEvaluatedMessageExpressionSizeBytes}). */
    private static final int MAX_MESSAGE = 5 * 1024;
    private static final CelCompiler PLAIN = compiler(false);
    private static final CelCompiler OPTIONAL_OLD = compiler(true);

    /** @throws RuleException if it does not compile */
    public static CelRule compile(JsonNode rule) throws RuleException {
        String text = Json.text(rule, "rule");
        String expression = Json.text(rule, "messageExpression");
        boolean optionalOldSelf = rule.path("optionalOldSelf").asBoolean(false);
        CelCompiler compiler = optionalOldSelf ? OPTIONAL_OLD : PLAIN;
        return new CelRule(text, Json.text(rule, "message").strip(), Json.text(rule, "reason"),
                Json.text(rule, "fieldPath"), OLD_SELF.matcher(text).find(), optionalOldSelf,
                CelEnvironment.program(compiler, "rule", text, SimpleType.BOOL), expression.isEmpty()
                        ? null
                        : CelEnvironment.program(compiler, "messageExpression", expression, SimpleType.STRING));
    }

    /** Checks the rules of one schema. The schema's types are computed once. For one thread. */
    public static final class Checker {
        /** No expression can contain this name, so CEL never takes a path of fields for a type. */
        private static final String ROOT = "@self";

        private final SchemaTypes types = new SchemaTypes();
        private final JsonNode schema;
        private final boolean resource;
        private final boolean typed;
        private final CelType self;
        private final Map<Boolean, CelCompiler> compilers = new HashMap<>();

        /**
         * @param schema of the values that the rules are for
         * @param resource whether these values are whole resources
         */
        public Checker(JsonNode schema, boolean resource) {
            this.schema = schema;
            this.resource = resource;
            CelType known = types.declare(ROOT, schema, resource, MissingNode.getInstance());
            this.typed = known != null;
            this.self = known == null ? SimpleType.DYN : known;
        }

        /** Whether expressions can see the values. */
        public boolean isTyped() {
            return typed;
        }

        /** How often a value of the schema can be in the largest object. */
        public long most() {
            return SchemaSizes.most(schema, resource);
        }

        /** @throws RuleException if the rule has errors or is no condition */
        public Checked rule(JsonNode rule) throws RuleException {
            return check(rule, "rule", "compilation failed: ", SimpleType.BOOL,
                    "cel expression must evaluate to a bool");
        }

        /** @throws RuleException if the expression of a message has errors or is no text */
        public Checked message(JsonNode rule) throws RuleException {
            return check(rule, "messageExpression", "messageExpression compilation failed: ", SimpleType.STRING,
                    "messageExpression must evaluate to a string");
        }

        private Checked check(JsonNode rule, String field, String failed, CelType wanted, String otherType)
                throws RuleException {
            CelCompiler compiler = compilers.computeIfAbsent(rule.path("optionalOldSelf").asBoolean(false),
                    optional -> CelEnvironment.typed().setTypeProvider(types).addVar("self", self)
                            .addVar("oldSelf", optional ? OptionalType.create(self) : self).build());
            String text = Json.text(rule, field);
            // CEL for Java knows the type of no sorted list.
            CelAbstractSyntaxTree tree = CelEnvironment.checked(text.contains(".sortBy(")
                    ? rule.path("optionalOldSelf").asBoolean(false) ? OPTIONAL_OLD : PLAIN
                    : compiler, field, failed, text);
            if (!tree.getResultType().equals(wanted)) {
                throw new RuleException(field, otherType);
            }
            return new Checked(tree.getReferenceMap().values().stream().anyMatch(one -> one.name().equals("oldSelf")),
                    RuleCost.of(tree, schema, resource));
        }
    }

    /**
     * A rule without errors.
     *
     * @param usesOld whether it reads the old value
     * @param cost the most that one evaluation can cost
     */
    public record Checked(boolean usesOld, long cost) {}

    /** The product, or the largest number if that is larger. */
    public static long product(long one, long other) {
        return one != 0 && other > Long.MAX_VALUE / one ? Long.MAX_VALUE : one * other;
    }

    /** The sum, or the largest number if that is larger. */
    public static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }

    private static CelCompiler compiler(boolean optionalOldSelf) {
        return CelEnvironment.stored().addVar("self", SimpleType.DYN)
                .addVar("oldSelf", optionalOldSelf ? OptionalType.create(SimpleType.DYN) : SimpleType.DYN).build();
    }

    /** Whether the rule applies only if there is a comparable old value. */
    public boolean needsOld() {
        return isTransition && !optionalOldSelf;
    }

    /**
     * Evaluates the rule.
     *
     * @param self the value, made by {@link CelValues}
     * @param old the old value; null if there is none
     * @param budget is charged for the evaluation
     * @return null if the rule holds, else the error message
     */
    public @Nullable String check(Object self, @Nullable Object old, CelBudget budget) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("self", self);
        if (optionalOldSelf) {
            variables.put("oldSelf", Optional.ofNullable(old));
        } else if (old != null) {
            variables.put("oldSelf", old);
        }
        try {
            return Boolean.TRUE.equals(budget.evaluate(program, variables)) ? null : failure(variables, budget);
        } catch (CelBudget.ExceededException e) {
            return "'" + e.getMessage() + "': no further validation rules will be run due to call cost exceeds limit"
                    + " for rule: " + shown();
        } catch (CelEvaluationException e) {
            return truncated(CelEnvironment.words(e)) + " evaluating rule: " + shown();
        }
    }

    /** The rule as messages about it show it. */
    private String shown() {
        return message.isEmpty() ? rule.strip() : message;
    }

    /** Whether a message of {@link #check} says that the rule could not be evaluated. */
    public boolean isError(String problem) {
        return problem.endsWith(" evaluating rule: " + shown())
                || problem.endsWith(" due to call cost exceeds limit for rule: " + shown());
    }

    /** Limits a message, because CEL's messages contain values of any length. */
    static String truncated(String message) {
        return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "...";
    }

    private String failure(Map<String, Object> variables, CelBudget budget) {
        if (messageProgram != null) {
            try {
                if (budget.evaluate(messageProgram, variables) instanceof String text && !text.isBlank()
                        && text.indexOf('\n') < 0 && text.length() <= MAX_MESSAGE) {
                    return text.strip();
                }
            } catch (CelEvaluationException | CelBudget.ExceededException e) {
                // As upstream, the plain message is used then.
            }
        }
        return message.isEmpty() ? "failed rule: " + rule.strip() : message;
    }
}
