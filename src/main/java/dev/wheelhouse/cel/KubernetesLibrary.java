package dev.wheelhouse.cel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;

/**
 * The functions that Kubernetes adds to CEL (upstream:
 * {@code apiserver/pkg/cel/library}). Immutable after {@link #create}.
 */
final class KubernetesLibrary implements CelCompilerLibrary, CelRuntimeLibrary {
    static final Type<String> STRING = new Type<>(SimpleType.STRING, String.class);
    static final Type<Long> INT = new Type<>(SimpleType.INT, Long.class);
    static final Type<Boolean> BOOL = new Type<>(SimpleType.BOOL, Boolean.class);
    static final Type<Object> DYN = new Type<>(SimpleType.DYN, Object.class);
    private final Map<String, List<CelOverloadDecl>> functions = new LinkedHashMap<>();
    private final List<CelFunctionBinding> bindings = new ArrayList<>();

    private KubernetesLibrary() {}

    static KubernetesLibrary create() {
        KubernetesLibrary library = new KubernetesLibrary();
        ListFunctions.addTo(library);
        TextFunctions.addTo(library);
        AddressFunctions.addTo(library);
        QuantityFunctions.addTo(library);
        AuthorizerFunctions.addTo(library);
        FormatFunctions.addTo(library);
        VersionFunctions.addTo(library);
        return library;
    }

    /** A CEL type, and the Java class of its values. */
    record Type<T>(CelType type, Class<T> of) {
        /** A type of this library, whose values have no other form in CEL. */
        static <T> Type<T> opaque(String name, Class<T> of) {
            return new Type<>(OpaqueType.create(name), of);
        }
    }

    /**
     * Adds a global function.
     *
     * @param id of this overload of the function
     */
    <A> void global(String name, String id, Type<?> result, Type<A> argument, CelFunctionOverload.Unary<A> body) {
        add(name, CelOverloadDecl.newGlobalOverload(id, result.type, argument.type),
                CelFunctionBinding.from(id, argument.of, body));
    }

    /** Adds a function without arguments. Its value does not change. */
    @SuppressWarnings("Immutable")
    void constant(String name, Type<?> result, Object value) {
        add(name, CelOverloadDecl.newGlobalOverload(name, result.type), CelFunctionBinding.from(name, List.of(),
                arguments -> value));
    }

    /** Adds a global function with two arguments. */
    <A, B> void global(String name, String id, Type<?> result, Type<A> first, Type<B> second,
            CelFunctionOverload.Binary<A, B> body) {
        add(name, CelOverloadDecl.newGlobalOverload(id, result.type, first.type, second.type),
                CelFunctionBinding.from(id, first.of, second.of, body));
    }

    /** Adds a function that is called on its only argument. */
    <A> void member(String name, String id, Type<?> result, Type<A> on, CelFunctionOverload.Unary<A> body) {
        add(name, CelOverloadDecl.newMemberOverload(id, result.type, on.type),
                CelFunctionBinding.from(id, on.of, body));
    }

    /** Adds a function that is called on its first argument. */
    <A, B> void member(String name, String id, Type<?> result, Type<A> on, Type<B> argument,
            CelFunctionOverload.Binary<A, B> body) {
        add(name, CelOverloadDecl.newMemberOverload(id, result.type, on.type, argument.type),
                CelFunctionBinding.from(id, on.of, argument.of, body));
    }

    /** Adds a function that is called on its first argument, and takes two others. */
    void member(String name, String id, Type<?> result, Type<?> on, Type<?> second, Type<?> third,
            CelFunctionOverload body) {
        add(name, CelOverloadDecl.newMemberOverload(id, result.type, on.type, second.type, third.type),
                CelFunctionBinding.from(id, List.of(on.of, second.of, third.of), body));
    }

    private void add(String name, CelOverloadDecl overload, CelFunctionBinding binding) {
        functions.computeIfAbsent(name, n -> new ArrayList<>()).add(overload);
        bindings.add(binding);
    }

    /** The same functions, with the types of lists. They cannot be evaluated. */
    CelCompilerLibrary typed() {
        KubernetesLibrary typed = new KubernetesLibrary();
        typed.functions.putAll(functions);
        typed.functions.putAll(ListFunctions.typed());
        return typed;
    }

    @Override
    public void setCheckerOptions(CelCheckerBuilder checker) {
        functions.forEach((name, overloads) -> checker
                .addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name, overloads)));
    }

    @Override
    public void setRuntimeOptions(CelRuntimeBuilder runtime) {
        runtime.addFunctionBindings(bindings);
        // CEL's own functions compile the expression on each call, whatever its size.
        for (String id : List.of("matches", "matches_string")) {
            runtime.addFunctionBindings(
                    CelFunctionBinding.from(id, String.class, String.class, TextFunctions::matches));
        }
    }
}
