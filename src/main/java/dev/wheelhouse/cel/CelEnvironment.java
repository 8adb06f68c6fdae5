package dev.wheelhouse.cel;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import dev.wheelhouse.apiserver.work.Deadline;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelErrorCode;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSource;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;

/** Compiles expressions, with the functions that they may use (upstream: {@code apiserver/pkg/cel/environment}). */
final class CelEnvironment {
    /** Never reached: each iteration costs something, and the budget ends first. */
    private static final int MAX_ITERATIONS = 1_000_000;
    /** The check takes time in proportion to the square of their number: this many take about half a second. */
    private static final int MOST_TYPE_VARIABLES = 3_000;
    private static final int MOST_ERRORS = 100;
    private static final int MOST_CHARACTERS_OF_ERRORS = 20_000;
    private static final Pattern PLACE = Pattern.compile("^evaluation error at [^ ]*: ");
    private static final Pattern NO_KEY = Pattern.compile("^key '(.*)' is not present in map\\.$", Pattern.DOTALL);
    private static final String FAILED = "compilation failed: ";
    private static final String TOO_DEEP = "the expression nests too deeply";
    private static final CelOptions OPTIONS = CelOptions.current().comprehensionMaxIterations(MAX_ITERATIONS)
            .enableHeterogeneousNumericComparisons(true).enableOptionalSyntax(true).build();
    private static final Set<CelStringExtensions.Function> STRINGS = EnumSet
            .complementOf(EnumSet.of(CelStringExtensions.Function.REVERSE));
    private static final KubernetesLibrary KUBERNETES = KubernetesLibrary.create();
    private static final CelRuntime RUNTIME = CelRuntimeFactory.standardCelRuntimeBuilder().setOptions(OPTIONS)
            .setStandardEnvironmentEnabled(false)
            .addLibraries(new MeteredFunctions(List.of(KUBERNETES, CelExtensions.strings(), CelExtensions.sets(OPTIONS),
                    CelExtensions.lists(), CelExtensions.math(OPTIONS), CelExtensions.regex(),
                    CelExtensions.optional(), CelExtensions.comprehensions(), PatchTypes.LIBRARY)))
            .build();

    private CelEnvironment() {}

    /** A compiler of new expressions, without variables. They may call the functions that upstream has. */
    static CelCompilerBuilder builder() {
        return common().addLibraries(CelExtensions.strings(STRINGS), KUBERNETES);
    }

    /** A compiler that knows the types of lists, for expressions that are not evaluated. */
    static CelCompilerBuilder typed() {
        return common().addLibraries(CelExtensions.strings(STRINGS), KUBERNETES.typed());
    }

    /** A compiler of stored expressions, which may call functions that new ones may not. */
    static CelCompilerBuilder stored() {
        return common().addLibraries(CelExtensions.strings(), CelExtensions.math(OPTIONS), CelExtensions.regex(),
                KUBERNETES);
    }

    private static CelCompilerBuilder common() {
        return CelCompilerFactory.standardCelCompilerBuilder().setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .addLibraries(CelExtensions.sets(OPTIONS), CelExtensions.lists(), CelExtensions.optional(),
                        CelExtensions.comprehensions());
    }

    /**
     * @param field the name of the expression's field, for errors
     * @throws RuleException if the expression does not compile, or cannot have the wanted type
     */
    static CelProgram program(CelCompiler compiler, String field, String expression, CelType wanted)
            throws RuleException {
        CelAbstractSyntaxTree tree = checked(compiler, field, expression);
        CelType type = tree.getResultType();
        if (!wanted.equals(SimpleType.DYN) && !type.equals(wanted) && !type.equals(SimpleType.DYN)) {
            throw new RuleException(field, "cel expression must evaluate to a "
                    + wanted.name().toLowerCase(Locale.ROOT));
        }
        return program(field, tree);
    }

    /** @throws RuleException if the runtime cannot evaluate the checked expression */
    static CelProgram program(String field, CelAbstractSyntaxTree tree) throws RuleException {
        try {
            return new CelProgram(RUNTIME.createProgram(tree), new ScalarParts(tree));
        } catch (CelEvaluationException e) {
            throw failed(field, String.valueOf(e.getMessage()));
        } catch (StackOverflowError e) {
            throw failed(field, TOO_DEEP);
        }
    }

    /** @throws RuleException if the expression has syntax or type errors, or is too large */
    static CelAbstractSyntaxTree checked(CelCompiler compiler, String field, String expression) throws RuleException {
        return checked(compiler, field, FAILED, expression);
    }

    /**
     * @param prefix of the message of errors
     * @throws RuleException if the expression has syntax or type errors, or is too large
     */
    static CelAbstractSyntaxTree checked(CelCompiler compiler, String field, String prefix, String expression)
            throws RuleException {
        try {
            CelValidationResult result = result(compiler, field, expression);
            if (result.hasError()) {
                throw failed(field, display(result.getErrors(), result.getSource()));
            }
            List<CelIssue> wrong = LiteralTypes.errors(result.getAst());
            if (!wrong.isEmpty()) {
                throw failed(field, display(wrong, result.getSource()));
            }
            return result.getAst();
        } catch (CelValidationException e) {
            throw new RuleException(field, prefix + e.getMessage());
        } catch (RuleException e) {
            throw new RuleException(field, String.valueOf(e.getMessage()).replaceFirst("^" + FAILED, prefix));
        }
    }

    /**
     * An expression with the types of its parts, or with type errors.
     *
     * @throws RuleException if the expression has syntax errors, or is too large
     */
    static CelValidationResult result(CelCompiler compiler, String field, String expression) throws RuleException {
        CelAbstractSyntaxTree parsed = parsed(compiler, field, expression);
        try {
            return compiler.check(parsed);
        } catch (StackOverflowError e) {
            throw failed(field, TOO_DEEP);
        }
    }

    /** @throws RuleException if the expression has syntax errors, or is too large */
    static CelAbstractSyntaxTree parsed(CelCompiler compiler, String field, String expression) throws RuleException {
        Deadline.check();
        try {
            CelValidationResult result = compiler.parse(expression);
            if (result.hasError()) {
                throw failed(field, display(result.getErrors().stream().map(issue -> CelIssue
                        .formatError(issue.getSourceLocation(), "Syntax error: " + issue.getMessage())).toList(),
                        result.getSource()));
            }
            CelAbstractSyntaxTree parsed = result.getAst();
            long unknown = CelNavigableAst.fromAst(parsed).getRoot().allNodes()
                    .filter(node -> hasTypeVariable(node.expr())).limit(MOST_TYPE_VARIABLES + 1L).count();
            if (unknown > MOST_TYPE_VARIABLES) {
                throw failed(field, "the expression has more than " + MOST_TYPE_VARIABLES
                        + " calls and empty lists and maps");
            }
            return parsed;
        } catch (CelValidationException e) {
            throw failed(field, String.valueOf(e.getMessage()));
        } catch (StackOverflowError e) {
            throw failed(field, TOO_DEEP);
        }
    }

    private static boolean hasTypeVariable(CelExpr part) {
        return switch (part.exprKind().getKind()) {
            case CALL -> true;
            case LIST -> part.list().elements().isEmpty();
            case MAP -> part.map().entries().isEmpty();
            default -> false;
        };
    }

    /** The message of a failed evaluation, in upstream's words where upstream has some. */
    static String words(Exception e) {
        String message = PLACE.matcher(String.valueOf(e.getMessage())).replaceFirst("");
        if (e instanceof CelEvaluationException evaluation
                && evaluation.getErrorCode() == CelErrorCode.ATTRIBUTE_NOT_FOUND) {
            return "no such key: " + NO_KEY.matcher(message).replaceFirst("$1");
        }
        if (message.startsWith("Index out of bounds")) {
            return "i" + message.substring(1);
        }
        if (message.startsWith("For input string")) {
            return "type conversion error from 'string' to 'int'";
        }
        if (message.startsWith("No matching overload")) {
            return "no such overload";
        }
        return switch (message) {
            case "/ by zero" -> "division by zero";
            case "long overflow" -> "integer overflow";
            default -> NO_KEY.matcher(message).replaceFirst("no such key: $1");
        };
    }

    private static RuleException failed(String field, String errors) {
        return new RuleException(field, FAILED + errors);
    }

    /**
     * Errors with their places, in upstream's words: the first ones, because each shows the whole line (upstream:
     * {@code maxErrorsToReport} in {@code cel-go/common/errors.go}).
     */
    static String display(List<CelIssue> errors, CelSource source) {
        List<String> lines = new ArrayList<>();
        int characters = 0;
        for (CelIssue error : errors) {
            if (lines.size() == MOST_ERRORS || characters > MOST_CHARACTERS_OF_ERRORS) {
                lines.add(errors.size() - lines.size() + " more errors were truncated");
                break;
            }
            // Upstream's CEL does not list the overloads that there are.
            String message = error.getMessage().replaceFirst(" \\(candidates: .*\\)$", "");
            String shown = CelIssue.formatError(error.getSourceLocation(), message).toDisplayString(source);
            lines.add(shown);
            characters += shown.length();
        }
        return String.join("\n", lines);
    }
}
