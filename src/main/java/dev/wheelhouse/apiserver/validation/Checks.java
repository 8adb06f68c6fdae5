package dev.wheelhouse.apiserver.validation;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The methods that rows call by their names. Each static method of the given classes is one that takes a
 * {@link Subject} alone and is not private. It is called as directly as a method reference. Thread safe.
 */
public final class Checks {
    private static final MethodType TYPE = MethodType.methodType(void.class, Subject.class);

    /** A rule that is a method, because it relates fields or computes. */
    @FunctionalInterface
    public interface Check {
        /** Adds a problem to the subject's, or does nothing if the value is valid or is missing. */
        void check(Subject subject);
    }

    private final MethodHandles.Lookup lookup;
    private final Map<String, Method> methods = new HashMap<>();

    /**
     * @param lookup of a class in the package of the others
     * @throws IllegalArgumentException if two methods have one name
     */
    public Checks(MethodHandles.Lookup lookup, List<Class<?>> classes) {
        this.lookup = lookup;
        classes.stream().flatMap(each -> Arrays.stream(each.getDeclaredMethods())).filter(Checks::isCheck)
                .forEach(method -> {
                    if (methods.put(method.getName(), method) != null) {
                        throw new IllegalArgumentException("two methods are called " + method.getName());
                    }
                });
    }

    private static boolean isCheck(Method method) {
        return Modifier.isStatic(method.getModifiers()) && !Modifier.isPrivate(method.getModifiers())
                && MethodType.methodType(method.getReturnType(), method.getParameterTypes()).equals(TYPE);
    }

    /** The names of all methods. */
    public List<String> names() {
        return List.copyOf(methods.keySet());
    }

    /** The method of a name; null if there is none. */
    @Nullable
    Check named(String name) {
        Method method = methods.get(name);
        if (method == null) {
            return null;
        }
        try {
            MethodHandle target = lookup.unreflect(method);
            return (Check) LambdaMetafactory
                    .metafactory(lookup, "check", MethodType.methodType(Check.class), TYPE, target, TYPE)
                    .getTarget().invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException("cannot call " + method, e);
        }
    }
}
