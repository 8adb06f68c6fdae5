package dev.wheelhouse.cel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;

/**
 * The parts of an expression that must be scalars: keys of maps, indices, conditions, operands of {@code &&} and
 * {@code ||}. CEL for Java hashes such a value, or prints it in an error, at no cost, and a list can contain another
 * one so many times that either never ends. Immutable.
 */
final class ScalarParts {
    private static final Set<String> ALL_ARGUMENTS = Set.of("_&&_", "_||_", "@not_strictly_false",
            "__not_strictly_false__");

    private final Set<Long> scalars = new HashSet<>();
    /** Parts that must be optional: those after a {@code ?} in a list or a map. */
    private final Set<Long> optionals = new HashSet<>();

    ScalarParts(CelAbstractSyntaxTree tree) {
        CelNavigableAst.fromAst(tree).getRoot().allNodes().forEach(node -> add(node.expr()));
    }

    private void add(CelExpr expression) {
        switch (expression.exprKind().getKind()) {
            case CALL -> scalarArguments(expression.call()).forEach(this::addScalar);
            case LIST -> expression.list().optionalIndices()
                    .forEach(index -> optionals.add(expression.list().elements().get(index).id()));
            case MAP -> expression.map().entries().forEach(entry -> {
                addScalar(entry.key());
                if (entry.optionalEntry()) {
                    optionals.add(entry.value().id());
                }
            });
            case STRUCT -> expression.struct().entries().stream().filter(CelExpr.CelStruct.Entry::optionalEntry)
                    .forEach(entry -> optionals.add(entry.value().id()));
            case COMPREHENSION -> addScalar(expression.comprehension().loopCondition());
            default -> {
                // All other parts may have any value.
            }
        }
    }

    /** Adds a part, unless it is a constant: those are scalars, and the ones of {@link PatchTypes} share an id. */
    private void addScalar(CelExpr part) {
        if (part.exprKind().getKind() != CelExpr.ExprKind.Kind.CONSTANT) {
            scalars.add(part.id());
        }
    }

    private static List<CelExpr> scalarArguments(CelExpr.CelCall call) {
        List<CelExpr> arguments = new ArrayList<>();
        call.target().ifPresent(arguments::add);
        arguments.addAll(call.args());
        return switch (call.function()) {
            case "_[_]", "_[?_]" -> arguments.subList(1, arguments.size());
            case "_?_:_" -> arguments.subList(0, 1);
            default -> ALL_ARGUMENTS.contains(call.function()) ? arguments : List.of();
        };
    }

    /** @throws IllegalArgumentException if the value may not stand there; {@code ||} may ignore that */
    void check(CelExpr expression, Object value) {
        if ((value instanceof Collection || value instanceof Map || value instanceof Optional)
                && scalars.contains(expression.id())) {
            throw new IllegalArgumentException("no such overload: a list, a map or an optional value is neither a key"
                    + " nor a condition");
        }
        if (!(value instanceof Optional) && optionals.contains(expression.id())) {
            throw new IllegalArgumentException("no such overload: the value after a ? must be optional");
        }
    }
}
