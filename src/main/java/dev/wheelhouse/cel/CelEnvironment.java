package dev.wheelhouse.cel;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSource;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;

/** Compiles expressions, with the functions that they may use (upstream: {@code apiserver/pkg/cel/environment}). */
final class CelEnvironment {
    /** Never reached: each iteration costs something, and the budget ends first. */
    private static final int MAX_ITERATIONS = 1_000_000;
    private static final String TOO_DEEP = "compilation failed: the expression nests too deeply";
    private static final CelOptions OPTIONS = CelOptions.current().comprehensionMaxIterations(MAX_ITERATIONS)
            .enableHeterogeneousNumericComparisons(true).enableOptionalSyntax(true).enableHomogeneousLiterals(true)
            .build();
    private static final KubernetesLibrary KUBERNETES = KubernetesLibrary.create();
    private static final CelRuntime RUNTIME = CelRuntimeFactory.standardCelRuntimeBuilder().setOptions(OPTIONS)
            .setStandardEnvironmentEnabled(false)
            .addLibraries(new MeteredFunctions(KUBERNETES, CelExtensions.strings(), CelExtensions.sets(OPTIONS),
                    CelExtensions.lists(), CelExtensions.math(OPTIONS), CelExtensions.regex(),
                    CelExtensions.optional(), CelExtensions.comprehensions(), PatchTypes.LIBRARY))
            .build();

    private CelEnvironment() {}

    /** A compiler without variables. */
    static CelCompilerBuilder builder() {
        return CelCompilerFactory.standardCelCompilerBuilder().setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .addLibraries(CelExtensions.strings(), CelExtensions.sets(OPTIONS), CelExtensions.lists(),
                        CelExtensions.math(OPTIONS), CelExtensions.regex(), CelExtensions.optional(),
                        CelExtensions.comprehensions(), KUBERNETES);
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
            throw new RuleException(field, expression, "cel expression must evaluate to a "
                    + wanted.name().toLowerCase(Locale.ROOT));
        }
        return program(field, expression, tree);
    }

    /** @throws RuleException if the runtime cannot evaluate the checked expression */
    static CelProgram program(String field, String expression, CelAbstractSyntaxTree tree)
            throws RuleException {
        try {
            return new CelProgram(RUNTIME.createProgram(tree), new ScalarParts(tree));
        } catch (CelEvaluationException e) {
            throw new RuleException(field, expression, "compilation failed: " + e.getMessage());
        } catch (StackOverflowError e) {
            throw new RuleException(field, expression, TOO_DEEP);
        }
    }

    /** @throws RuleException if the expression has syntax or type errors */
    static CelAbstractSyntaxTree checked(CelCompiler compiler, String field, String expression) throws RuleException {
        CelAbstractSyntaxTree parsed = parsed(compiler, field, expression);
        try {
            return compiler.check(parsed).getAst();
        } catch (CelValidationException e) {
            throw new RuleException(field, expression, "compilation failed: " + e.getErrors().stream()
                    .map(error -> display(error, e.getSource())).collect(Collectors.joining("\n")));
        } catch (StackOverflowError e) {
            throw new RuleException(field, expression, TOO_DEEP);
        }
    }

    /** An error with its place, in upstream's words. */
    static String display(CelIssue error, CelSource source) {
        // Upstream's CEL does not list the overloads that there are.
        String message = error.getMessage().replaceFirst(" \\(candidates: .*\\)$", "");
        return CelIssue.formatError(error.getSourceLocation(), message).toDisplayString(source);
    }

    /** @throws RuleException if the expression has syntax errors */
    static CelAbstractSyntaxTree parsed(CelCompiler compiler, String field, String expression) throws RuleException {
        try {
            CelValidationResult parsed = compiler.parse(expression);
            if (parsed.hasError()) {
                List<CelIssue> errors = parsed.getErrors().stream().map(issue -> CelIssue
                        .formatError(issue.getSourceLocation(), "Syntax error: " + issue.getMessage())).toList();
                throw new RuleException(field, expression,
                        "compilation failed: " + CelIssue.toDisplayString(errors, parsed.getSource()));
            }
            return parsed.getAst();
        } catch (CelValidationException e) {
            throw new RuleException(field, expression, "compilation failed: " + e.getMessage());
        } catch (StackOverflowError e) {
            throw new RuleException(field, expression, TOO_DEEP);
        }
    }
}
