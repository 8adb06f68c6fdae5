package dev.wheelhouse.cel;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;

import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableCall;
import dev.cel.common.ast.CelMutableExpr.CelMutableComprehension;
import dev.cel.common.ast.CelMutableExpr.CelMutableMap;
import dev.cel.common.ast.CelMutableExprConverter;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;

/**
 * The types with which the expressions of mutating policies construct patches: {@code JSONPatch}, and {@code Object}
 * with {@code Object.spec} and so on, whose fields may have any name and type (upstream:
 * {@code apiserver/pkg/cel/mutation}). For one expression.
 *
 * <p>CEL for Java constructs protobuf messages only. {@link #rewritten} therefore replaces each construction in a
 * checked expression by a call that returns a {@link Constructed}.
 */
@SuppressWarnings("Immutable") // It caches types, because the checker compares them by identity.
final class PatchTypes implements CelTypeProvider {
    static final String OBJECT = "Object";
    static final String JSON_PATCH = "JSONPatch";
    /** The overload of the function that constructs a value. */
    static final String CONSTRUCTION = "kubernetes_construction";
    static final Library LIBRARY = new Library();
    private static final String ESCAPE = "string_jsonpatch_escapeKey_string";
    private static final ImmutableMap<String, CelType> OPERATION = ImmutableMap.of("op", SimpleType.STRING, "path",
            SimpleType.STRING, "from", SimpleType.STRING, "value", SimpleType.DYN);

    private final CelTypeProvider others;
    private final ImmutableSet<String> fields;
    private final Map<String, CelType> known = new HashMap<>();

    /**
     * @param others knows all other types
     * @param parsed the expression. A struct of CEL for Java has to list its fields, so those are the names in it
     */
    PatchTypes(CelTypeProvider others, CelAbstractSyntaxTree parsed) {
        this.others = others;
        ImmutableSet.Builder<String> names = ImmutableSet.builder();
        visit(CelMutableExprConverter.fromCelExpr(parsed.getExpr()), expression -> {
            switch (expression.getKind()) {
                case SELECT -> names.add(expression.select().field());
                case STRUCT -> expression.struct().entries().forEach(entry -> names.add(entry.fieldKey()));
                case CONSTANT -> { // The field of an optional selection, as in Object{}.?spec.
                    if (expression.constant().getKind() == CelConstant.Kind.STRING_VALUE) {
                        names.add(expression.constant().stringValue());
                    }
                }
                default -> {
                }
            }
        });
        this.fields = names.build();
    }

    /** The function {@code jsonpatch.escapeKey}, and the one that constructs values. */
    static final class Library implements CelCompilerLibrary, CelRuntimeLibrary {
        @Override
        public void setCheckerOptions(CelCheckerBuilder checker) {
            checker.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration("jsonpatch.escapeKey",
                    CelOverloadDecl.newGlobalOverload(ESCAPE, SimpleType.STRING, SimpleType.STRING)));
        }

        @Override
        public void setRuntimeOptions(CelRuntimeBuilder runtime) {
            runtime.addFunctionBindings(
                    CelFunctionBinding.from(ESCAPE, String.class, key -> key.replace("~", "~0").replace("/", "~1")),
                    CelFunctionBinding.from(CONSTRUCTION, String.class, Map.class, Constructed::new));
        }
    }

    /**
     * A value that an expression constructed: its fields, and the name of its type. Immutable once an evaluation has
     * ended.
     */
    static final class Constructed extends LinkedHashMap<String, Object> {
        private final String type;

        @SuppressWarnings("unchecked") // The keys are the constants that a rewritten construction has.
        Constructed(String type, Map<?, ?> fields) {
            super((Map<String, Object>) fields);
            this.type = type;
        }

        String type() {
            return type;
        }

        @Override
        public boolean equals(Object other) {
            return super.equals(other) && other instanceof Constructed constructed && constructed.type.equals(type);
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }

    @Override
    public ImmutableCollection<CelType> types() {
        return others.types();
    }

    @Override
    public Optional<CelType> findType(String name) {
        if (name.equals(JSON_PATCH)) {
            return Optional.of(known.computeIfAbsent(name, n -> StructType.create(n, OPERATION.keySet(),
                    field -> Optional.ofNullable(OPERATION.get(field)))));
        }
        if (name.equals(OBJECT) || name.startsWith(OBJECT + ".")) {
            return Optional.of(known.computeIfAbsent(name,
                    n -> StructType.create(n, fields, field -> Optional.of(SimpleType.DYN))));
        }
        return others.findType(name);
    }

    /** The expression with calls of {@link #CONSTRUCTION} in the place of constructions. */
    static CelAbstractSyntaxTree rewritten(CelAbstractSyntaxTree checked) {
        CelMutableExpr root = CelMutableExprConverter.fromCelExpr(checked.getExpr());
        Map<Long, CelReference> references = new HashMap<>(checked.getReferenceMap());
        visit(root, expression -> {
            if (expression.getKind() == Kind.STRUCT) {
                List<CelMutableMap.Entry> entries = expression.struct().entries().stream()
                        .map(entry -> CelMutableMap.Entry.create(entry.id(), constant(entry.fieldKey()), entry.value(),
                                entry.optionalEntry()))
                        .toList();
                CelMutableExpr type = constant(checked.getReferenceOrThrow(expression.id()).name());
                expression.setCall(CelMutableCall.create(CONSTRUCTION, type,
                        CelMutableExpr.ofMap(0, CelMutableMap.create(entries))));
                references.put(expression.id(), CelReference.newBuilder().addOverloadIds(CONSTRUCTION).build());
            }
        });
        return CelAbstractSyntaxTree.newCheckedAst(CelMutableExprConverter.fromMutableExpr(root), checked.getSource(),
                references, checked.getTypeMap());
    }

    private static CelMutableExpr constant(String text) {
        return CelMutableExpr.ofConstant(CelConstant.ofValue(text));
    }

    /** Visits the parts of an expression, then the expression itself. */
    static void visit(CelMutableExpr expression, Consumer<CelMutableExpr> visitor) {
        switch (expression.getKind()) {
            case SELECT -> visit(expression.select().operand(), visitor);
            case CALL -> {
                expression.call().target().ifPresent(target -> visit(target, visitor));
                expression.call().args().forEach(argument -> visit(argument, visitor));
            }
            case LIST -> expression.list().elements().forEach(element -> visit(element, visitor));
            case STRUCT -> expression.struct().entries().forEach(entry -> visit(entry.value(), visitor));
            case MAP -> expression.map().entries().forEach(entry -> {
                visit(entry.key(), visitor);
                visit(entry.value(), visitor);
            });
            case COMPREHENSION -> {
                CelMutableComprehension loop = expression.comprehension();
                for (CelMutableExpr part : List.of(loop.iterRange(), loop.accuInit(), loop.loopCondition(),
                        loop.loopStep(), loop.result())) {
                    visit(part, visitor);
                }
            }
            default -> {
            }
        }
        visitor.accept(expression);
    }
}
