package dev.wheelhouse.cel;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import com.google.common.collect.ImmutableList;

import dev.cel.common.CelOptions;
import dev.cel.common.exceptions.CelRuntimeException;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import dev.cel.runtime.CelInternalRuntimeLibrary;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.InternalCelFunctionBinding;
import dev.cel.runtime.RuntimeEquality;

/**
 * Registers the functions of CEL and of libraries such that each charges the {@link CelBudget} before it works.
 *
 * @param libraries if several define a function, the first one counts
 */
record MeteredFunctions(List<CelRuntimeLibrary> libraries) implements CelInternalRuntimeLibrary {
    @Override
    public void setRuntimeOptions(CelRuntimeBuilder runtime) {
        throw new IllegalStateException("the runtime has to pass its equality and options to its functions");
    }

    @Override
    public void setRuntimeOptions(CelRuntimeBuilder runtime, RuntimeEquality equality, CelOptions options) {
        Costs costs = new Costs(equality);
        CelRuntimeBuilder metering = metering(runtime, costs);
        for (CelRuntimeLibrary library : libraries) {
            if (library instanceof CelInternalRuntimeLibrary internal) {
                internal.setRuntimeOptions(metering, equality, options);
            } else {
                library.setRuntimeOptions(metering);
            }
        }
        metering.addFunctionBindings(CelStandardFunctions.newBuilder().filterFunctions((function, overload) -> true)
                .build().newFunctionBindings(equality, options));
    }

    /** A builder that replaces each function it is given by a metered one. */
    private static CelRuntimeBuilder metering(CelRuntimeBuilder runtime, Costs costs) {
        return (CelRuntimeBuilder) Proxy.newProxyInstance(MeteredFunctions.class.getClassLoader(),
                new Class<?>[]{CelRuntimeBuilder.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("addFunctionBindings")) {
                        runtime.addFunctionBindings(metered(arguments[0], costs));
                        return proxy;
                    }
                    try {
                        return method.invoke(runtime, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private static List<CelFunctionBinding> metered(Object bindings, Costs costs) {
        Iterable<?> all = bindings instanceof Iterable<?> several
                ? several
                : Arrays.asList((CelFunctionBinding[]) bindings);
        List<CelFunctionBinding> metered = new ArrayList<>();
        all.forEach(binding -> metered.add(new Metered((CelFunctionBinding) binding, costs)));
        return metered;
    }

    @SuppressWarnings("Immutable") // Costs are stateless, which the annotation's checker cannot see.
    private record Metered(CelFunctionBinding binding, Costs costs) implements InternalCelFunctionBinding {
        @Override
        public String getOverloadId() {
            return binding.getOverloadId();
        }

        @Override
        public String getFunctionName() {
            return binding instanceof InternalCelFunctionBinding named
                    ? named.getFunctionName()
                    : binding.getOverloadId();
        }

        @Override
        public ImmutableList<Class<?>> getArgTypes() {
            return binding.getArgTypes();
        }

        @Override
        public boolean isStrict() {
            return binding.isStrict();
        }

        @Override
        public CelFunctionOverload getDefinition() {
            String id = binding.getOverloadId();
            CelFunctionOverload body = binding.getDefinition();
            return arguments -> {
                CelBudget.charge(costs.of(id, arguments));
                try {
                    return body.apply(arguments);
                } catch (CelRuntimeException e) {
                    throw e;
                } catch (RuntimeException e) {
                    // CEL would print the arguments, at no cost.
                    throw new CelEvaluationException("function '" + id + "' failed: " + e.getMessage(), e);
                }
            };
        }
    }
}
