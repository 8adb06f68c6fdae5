package dev.wheelhouse.cel;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Durations;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableMap;
import dev.cel.common.ast.CelMutableExprConverter;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.OptionalType;

/**
 * Finds list and map literals whose parts have several types, and literals that are no regular expression, duration or
 * timestamp where one has to stand (upstream: {@code cel-go/cel/validator.go}). To CEL for Java a dynamic value has
 * every type, to upstream it has another one than a text.
 */
record LiteralTypes(CelAbstractSyntaxTree tree, List<CelIssue> errors) {
    /** The errors in a checked expression. */
    static List<CelIssue> errors(CelAbstractSyntaxTree tree) {
        LiteralTypes types = new LiteralTypes(tree, new ArrayList<>());
        Set<Long> mixed = new HashSet<>();
        CelMutableExpr root = CelMutableExprConverter.fromCelExpr(tree.getExpr());
        PatchTypes.visit(root, expression -> {
            if (expression.getKind() == ExprKind.Kind.CALL) {
                types.call(expression.call(), mixed);
            }
        });
        PatchTypes.visit(root, expression -> {
            switch (expression.getKind()) {
                case LIST -> {
                    if (!mixed.contains(expression.id())) { // The arguments of a format may have any types.
                        types.list(expression.list().elements(), Set.copyOf(expression.list().optionalIndices()));
                    }
                }
                case MAP -> types.map(expression.map().entries());
                default -> {
                }
            }
        });
        return types.errors;
    }

    private void call(CelMutableExpr.CelMutableCall call, Set<Long> mixed) {
        List<CelMutableExpr> arguments = call.args();
        if (arguments.isEmpty()) {
            return;
        }
        CelMutableExpr last = arguments.getLast();
        if (call.function().equals("format")) {
            mixed.add(last.id());
        }
        if (last.getKind() != ExprKind.Kind.CONSTANT || last.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
            return;
        }
        String text = last.constant().stringValue();
        boolean valid = switch (call.function()) {
            case "matches" -> isPattern(text);
            case "duration" -> Durations.parseSigned(text) != null;
            case "timestamp" -> isTimestamp(text);
            default -> true;
        };
        if (!valid) {
            error(last, "invalid " + call.function() + " argument");
        }
    }

    private static boolean isPattern(String text) {
        try {
            return UserPattern.of(text) != null;
        } catch (UserPattern.PatternException e) {
            return false;
        }
    }

    private static boolean isTimestamp(String text) {
        try {
            return OffsetDateTime.parse(text) != null;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private void list(List<CelMutableExpr> elements, Set<Integer> optional) {
        CelType first = null;
        for (int i = 0; i < elements.size(); i++) {
            CelType type = type(elements.get(i), optional.contains(i));
            if (first != null && differs(first, type, elements.get(i))) {
                return;
            }
            first = first == null ? type : first;
        }
    }

    private void map(List<CelMutableMap.Entry> entries) {
        CelType key = null;
        CelType value = null;
        for (CelMutableMap.Entry entry : entries) {
            CelType keyType = type(entry.key(), false);
            CelType valueType = type(entry.value(), entry.optionalEntry());
            if (key != null) {
                differs(key, keyType, entry.key());
                differs(value, valueType, entry.value());
            } else {
                key = keyType;
                value = valueType;
            }
        }
    }

    private CelType type(CelMutableExpr part, boolean optional) {
        CelType type = tree.getTypeOrThrow(part.id());
        return optional && type instanceof OptionalType some ? some.parameters().get(0) : type;
    }

    private boolean differs(@Nullable CelType wanted, CelType found, CelMutableExpr part) {
        if (wanted == null || CelTypes.format(wanted).equals(CelTypes.format(found))) {
            return false;
        }
        error(part, "expected type '" + CelTypes.format(wanted) + "' but found '" + CelTypes.format(found) + "'");
        return true;
    }

    private void error(CelMutableExpr part, String message) {
        int offset = tree.getSource().getPositionsMap().getOrDefault(part.id(), -1);
        errors.add(CelIssue.formatError(
                tree.getSource().getOffsetLocation(offset).orElse(CelSourceLocation.NONE), message));
    }
}
