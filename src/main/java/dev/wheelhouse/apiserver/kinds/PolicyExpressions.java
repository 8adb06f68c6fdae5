package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;
import dev.wheelhouse.cel.RuleException;

/**
 * Checks the expressions of an admission policy that is written (upstream:
 * {@code pkg/apis/admissionregistration/validation}). For one policy.
 */
final class PolicyExpressions {
    private static final int MOST_CONDITIONS = 64;
    private static final Pattern IDENTIFIER = Pattern.compile("[_a-zA-Z][_a-zA-Z0-9]*");
    private static final Set<String> RESERVED = Set.of("true", "false", "null", "in", "as", "break", "const",
            "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return",
            "var", "void", "while");

    private final JsonNode spec;
    private final PolicyTypes types;
    private final Problems problems;

    /** @param hasVariables whether expressions may name {@code variables} */
    PolicyExpressions(JsonNode spec, boolean hasVariables, Problems problems) {
        this.spec = spec;
        this.types = hasVariables
                ? PolicyTypes.ofPolicy(spec.has("paramKind"))
                : PolicyTypes.ofConditions(spec.has("paramKind"));
        this.problems = problems;
    }

    /** Checks the match conditions. In this version of Kubernetes they are compiled here without variables. */
    void conditions() {
        PolicyTypes known = PolicyTypes.ofConditions(spec.has("paramKind"));
        JsonNode conditions = spec.path("matchConditions");
        if (conditions.size() > MOST_CONDITIONS) {
            problems.tooMany("spec.matchConditions", conditions.size(), MOST_CONDITIONS);
        }
        Set<String> names = new HashSet<>();
        Problems.each(conditions, "spec.matchConditions", (condition, at) -> {
            require(at + ".expression", Json.text(condition, "expression").strip(), "", ResultType.BOOL, known);
            String name = Json.text(condition, "name");
            problems.formed(at + ".name", name, Formats::qualifiedName);
            if (!name.isEmpty() && !names.add(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
        });
    }

    void variables() {
        Problems.each(spec.path("variables"), "spec.variables", (variable, at) -> {
            String name = Json.text(variable, "name");
            if (name.isBlank()) {
                problems.required(at + ".name", "name is not specified");
            } else if (!IDENTIFIER.matcher(name).matches() || RESERVED.contains(name)) {
                problems.invalid(at + ".name", name, "must be a valid CEL identifier");
            }
            String expression = Json.text(variable, "expression");
            if (require(at + ".expression", expression, "expression is not specified", ResultType.ANY, types)) {
                types.addVariable(name, expression);
            }
        });
    }

    /** Checks an expression that may use the variables. */
    void compile(String at, String expression, ResultType wanted) {
        compile(at, expression, wanted, types);
    }

    /** As {@link #compile}, for an expression that must be there. */
    void require(String at, String expression, String detail, ResultType wanted) {
        require(at, expression, detail, wanted, types);
    }

    private boolean require(String at, String expression, String detail, ResultType wanted, PolicyTypes known) {
        if (expression.isBlank()) {
            problems.required(at, detail);
            return false;
        }
        compile(at, expression, wanted, known);
        return true;
    }

    private void compile(String at, String expression, ResultType wanted, PolicyTypes known) {
        Deadline.checkNow();
        try {
            known.compile(expression, wanted);
        } catch (RuleException e) {
            problems.invalid(at, expression, String.valueOf(e.getMessage()));
        }
    }
}
