package dev.wheelhouse.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableMap;
import dev.cel.common.ast.CelMutableExprConverter;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.OptionalType;

/**
 * Finds list and map literals whose parts have several types (upstream: {@code ValidateHomogeneousAggregateLiterals} in
 * {@code cel-go/cel/validator.go}). To CEL for Java a dynamic value has every type, to upstream it has another one than
 * a text.
 */
record LiteralTypes(CelAbstractSyntaxTree tree, List<CelIssue> errors) {
    /** The errors in a checked expression. */
    static List<CelIssue> errors(CelAbstractSyntaxTree tree) {
        LiteralTypes types = new LiteralTypes(tree, new ArrayList<>());
        PatchTypes.visit(CelMutableExprConverter.fromCelExpr(tree.getExpr()), expression -> {
            switch (expression.getKind()) {
                case LIST -> types.list(expression.list().elements(), Set.copyOf(expression.list().optionalIndices()));
                case MAP -> types.map(expression.map().entries());
                default -> {
                }
            }
        });
        return types.errors;
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
        int offset = tree.getSource().getPositionsMap().getOrDefault(part.id(), -1);
        errors.add(CelIssue.formatError(
                tree.getSource().getOffsetLocation(offset).orElse(CelSourceLocation.NONE), "expected type '"
                        + CelTypes.format(wanted) + "' but found '" + CelTypes.format(found) + "'"));
        return true;
    }
}
