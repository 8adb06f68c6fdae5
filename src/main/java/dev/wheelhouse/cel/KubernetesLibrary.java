package dev.wheelhouse.cel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;

/**
 * The functions that Kubernetes adds to CEL, except those for formats and versions (upstream:
 * {@code apiserver/pkg/cel/library}). Immutable after {@link #create}.
 */
final class KubernetesLibrary implements CelCompilerLibrary, CelRuntimeLibrary {
    static final Argument STRING = new Argument(SimpleType.STRING, String.class);
    static final Argument INT = new Argument(SimpleType.INT, Long.class);
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
        return library;
    }

    /**
     * Adds a global function.
     *
     * @param id of this overload of the function
     */
    void global(String name, String id, CelType result, CelFunctionOverload body, Argument... arguments) {
        add(name, CelOverloadDecl.newGlobalOverload(id, result, types(arguments)), body, arguments);
    }

    /** Adds a function that is called on its first argument. */
    void member(String name, String id, CelType result, CelFunctionOverload body, Argument... arguments) {
        add(name, CelOverloadDecl.newMemberOverload(id, result, types(arguments)), body, arguments);
    }

    /** The CEL type of an argument, and the Java class of its values. */
    record Argument(CelType type, Class<?> of) {}

    private void add(String name, CelOverloadDecl overload, CelFunctionOverload body, Argument... arguments) {
        functions.computeIfAbsent(name, n -> new ArrayList<>()).add(overload);
        List<Class<?>> classes = Stream.of(arguments).<Class<?>>map(Argument::of).toList();
        bindings.add(CelFunctionBinding.from(overload.overloadId(), classes, body));
    }

    private static List<CelType> types(Argument... arguments) {
        return Stream.of(arguments).map(Argument::type).toList();
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
