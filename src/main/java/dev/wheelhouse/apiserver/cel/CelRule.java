package dev.wheelhouse.apiserver.cel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;

/**
 * One element of {@code x-kubernetes-validations}, compiled (upstream: {@code apiextensions-apiserver/pkg/apiserver/schema/cel}). The types of
 * {@code self} and {@code oldSelf} are dynamic where it runs. Of what upstream's type check would say of a definition only this is said before:
 * that a schema has no such field.
 * Known functions are those of CEL, its extensions for strings, sets, lists, math, regular expressions and optionals, and upstream's own in
 * {@link CelEnvironment}. Immutable, safe for use by many threads.
 */
public final class CelRule {
    private static final Pattern OLD_SELF = Pattern.compile("\\boldSelf\\b");
    /** The most characters of a computed message (upstream: {@code MaxEvaluatedMessageExpressionSizeBytes}). */
    private static final int MOST_SHOWN = 5 * 1024;
    private static final CelCompiler PLAIN = compiler(false);
    private static final CelCompiler OPTIONAL_OLD = compiler(true);

    private final String rule;
    private final String message;
    private final String reason;
    private final String fieldPath;
    private final boolean transition;
    private final boolean optionalOldSelf;
    private final CelRuntime.Program program;
    private final CelRuntime.@Nullable Program messageProgram;

    private CelRule(JsonNode rule) throws RuleException {
        this.rule = Json.text(rule, "rule");
        this.message = Json.text(rule, "message").strip();
        this.reason = Json.text(rule, "reason");
        this.fieldPath = Json.text(rule, "fieldPath");
        this.optionalOldSelf = rule.path("optionalOldSelf").asBoolean(false);
        this.transition = OLD_SELF.matcher(this.rule).find();
        CelCompiler compiler = optionalOldSelf ? OPTIONAL_OLD : PLAIN;
        this.program = CelEnvironment.program(compiler, "rule", this.rule, SimpleType.BOOL);
        String expression = Json.text(rule, "messageExpression");
        this.messageProgram = expression.isEmpty()
                ? null
                : CelEnvironment.program(compiler, "messageExpression", expression, SimpleType.STRING);
    }

    /** @throws RuleException if it does not compile */
    public static CelRule compile(JsonNode rule) throws RuleException {
        return new CelRule(rule);
    }

    /**
     * What is wrong with a rule of a definition.
     *
     * @param schema of the values that it is for
     * @param resource whether they are whole resources
     * @throws RuleException if it does not compile, or names a field that the schema does not have
     */
    public static void check(JsonNode rule, JsonNode schema, boolean resource) throws RuleException {
        new Checker(schema, resource).check(rule);
    }

    /** Checks the rules of one schema, whose types it works out once. For one thread. */
    public static final class Checker {
        private final SchemaTypes types;
        private final Map<Boolean, CelCompiler> compilers = new HashMap<>();

        /**
         * @param schema of the values that the rules are for
         * @param resource whether they are whole resources
         */
        public Checker(JsonNode schema, boolean resource) {
            this.types = new SchemaTypes(schema, resource);
        }

        /** @throws RuleException if a rule does not compile, or names a field that the schema does not have */
        public void check(JsonNode rule) throws RuleException {
            CelRule compiled = compile(rule);
            CelCompiler typed = compilers.computeIfAbsent(compiled.optionalOldSelf,
                    optional -> CelEnvironment.builder().setTypeProvider(types).addVar("self", types.self())
                            .addVar("oldSelf", optional ? OptionalType.create(types.self()) : types.self()).build());
            for (String field : List.of("rule", "messageExpression")) {
                String expression = Json.text(rule, field);
                if (expression.isEmpty()) {
                    continue;
                }
                CelValidationResult result = typed.compile(expression);
                List<CelIssue> unknown = result.getErrors().stream()
                        .filter(issue -> issue.getMessage().startsWith("undefined field")).toList();
                if (!unknown.isEmpty()) {
                    throw new RuleException(field, expression,
                            "compilation failed: " + CelIssue.toDisplayString(unknown, result.getSource()));
                }
            }
        }
    }

    private static CelCompiler compiler(boolean optionalOldSelf) {
        return CelEnvironment.builder().addVar("self", SimpleType.DYN)
                .addVar("oldSelf", optionalOldSelf ? OptionalType.create(SimpleType.DYN) : SimpleType.DYN).build();
    }

    /** Whether it speaks of the value before: then it holds of changes, not of new values. */
    public boolean isTransition() {
        return transition;
    }

    /** Whether it can be asked of a value that has no value before, or whose value before cannot be told. */
    public boolean needsOld() {
        return transition && !optionalOldSelf;
    }

    /** {@code FieldValueInvalid}, {@code FieldValueForbidden}, {@code FieldValueRequired}, {@code FieldValueDuplicate}, or empty. */
    public String reason() {
        return reason;
    }

    /** Where below the value the failure is to be shown, as {@code .spec.x}; empty for the value itself. */
    public String fieldPath() {
        return fieldPath;
    }

    /**
     * What the rule says of a value, made by {@link CelValues}.
     *
     * @param old the value before, or null
     * @param budget pays for the evaluation
     * @return null if it holds; else the message
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
                    + " for rule: " + rule.strip();
        } catch (CelEvaluationException e) {
            return shortened(String.valueOf(e.getMessage())) + " evaluating rule: " + rule.strip();
        }
    }

    /** The library shows values in its messages, however long they are. */
    static String shortened(String message) {
        return message.length() <= MOST_SHOWN ? message : message.substring(0, MOST_SHOWN) + "...";
    }

    private String failure(Map<String, Object> variables, CelBudget budget) {
        if (messageProgram != null) {
            try {
                if (budget.evaluate(messageProgram, variables) instanceof String text && !text.isBlank()
                        && text.indexOf('\n') < 0 && text.length() <= MOST_SHOWN) {
                    return text.strip();
                }
            } catch (CelEvaluationException | CelBudget.ExceededException e) {
                // Then the plain message has to do, as upstream has it.
            }
        }
        return message.isEmpty() ? "failed rule: " + rule.strip() : message;
    }
}
