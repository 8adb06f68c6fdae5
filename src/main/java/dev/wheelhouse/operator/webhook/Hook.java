package dev.wheelhouse.operator.webhook;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;

/**
 * An annotated method of an operator.
 *
 * @param name of the webhook, a domain: {@code check.website-operator.example.com}
 * @param path on the server; empty for a conversion, as all conversions of a type have one path
 * @param from the class of the method's first parameter
 * @param result the apiVersion of the object that the method returns
 * @param rules null for a conversion
 */
record Hook(Kind kind, String name, String path, Object operator, Method method, Class<?> from, ResourceType type,
        String result, @Nullable Rules rules) {
    enum Kind {
        VALIDATE, MUTATE, CONVERT
    }

    /** The writes that an annotation selects for a method, and how the API server calls it. */
    record Rules(List<Operation> operations, FailurePolicy failurePolicy, int timeoutSeconds, LabelSelector objects,
            LabelSelector namespaces) {
        static Rules of(Validates a) {
            return new Rules(List.of(a.operations()), a.failurePolicy(), a.timeoutSeconds(),
                    LabelSelector.parse(a.objects()), LabelSelector.parse(a.namespaces()));
        }

        static Rules of(Mutates a) {
            return new Rules(List.of(a.operations()), a.failurePolicy(), a.timeoutSeconds(),
                    LabelSelector.parse(a.objects()), LabelSelector.parse(a.namespaces()));
        }
    }

    /**
     * The annotated methods of an operator, also those that it inherits, sorted by name.
     *
     * @param types the resource of a class; throws IllegalArgumentException for a class that is of none
     */
    static List<Hook> of(String operatorName, Object operator, Function<Class<?>, ResourceType> types) {
        List<Method> methods = new ArrayList<>();
        for (Class<?> at = operator.getClass(); at != null; at = at.getSuperclass()) {
            Arrays.stream(at.getDeclaredMethods()).filter(method -> !method.isSynthetic() && annotation(method) != null)
                    .forEach(methods::add);
        }
        return methods.stream().map(method -> hook(operatorName, operator, method, types))
                .sorted((a, b) -> a.method.getName().compareTo(b.method.getName())).toList();
    }

    private static @Nullable Annotation annotation(Method method) {
        return Stream.of(Validates.class, Mutates.class, Converts.class)
                .<@Nullable Annotation>map(method::getAnnotation)
                .filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static Hook hook(String operatorName, Object operator, Method method,
            Function<Class<?>, ResourceType> types) {
        Class<?>[] parameters = method.getParameterTypes();
        Class<?> from = parameters.length == 0 ? Object.class : parameters[0];
        check(method, KubernetesObject.class.isAssignableFrom(from) && !from.isInterface(),
                "its first parameter must be the class of the objects, such as Website");
        ResourceType type = types.apply(from);
        String step = kebab(method.getName());
        String domain = type.group().contains(".") ? type.group() : "wheelhouse.dev";
        String name = step + "." + operatorName + "." + domain;
        String path = "/" + operatorName + "/" + step;
        if (!Modifier.isPublic(method.getModifiers()) || !Modifier.isPublic(operator.getClass().getModifiers())) {
            method.setAccessible(true);
        }
        return switch (annotation(method)) {
            case Validates validates -> {
                checkParameters(method, from);
                check(method, method.getReturnType() == Verdict.class, "it must return a Verdict");
                yield new Hook(Kind.VALIDATE, name, "/validate" + path, operator, method, from, type, type.apiVersion(),
                        checked(method, Rules.of(validates)));
            }
            case Mutates mutates -> {
                checkParameters(method, from);
                check(method, method.getReturnType() == from || method.getReturnType() == void.class,
                        "it must return a " + from.getSimpleName() + ", or void");
                check(method, !List.of(mutates.operations()).contains(Operation.DELETE),
                        "a deletion has no object to change: use @Validates");
                yield new Hook(Kind.MUTATE, name, "/mutate" + path, operator, method, from, type, type.apiVersion(),
                        checked(method, Rules.of(mutates)));
            }
            case null, default -> {
                Class<?> to = method.getReturnType();
                check(method, parameters.length == 1 && KubernetesObject.class.isAssignableFrom(to) && to != from,
                        "a conversion takes an object of one version and returns one of another");
                ResourceType result = types.apply(to);
                check(method, result.group().equals(type.group()) && result.kind().equals(type.kind())
                        && !result.version().equals(type.version()),
                        "a conversion is between two versions of one kind, not from " + type.apiVersion() + " "
                                + type.kind() + " to " + result.apiVersion() + " " + result.kind());
                yield new Hook(Kind.CONVERT, name, "", operator, method, from, type, result.apiVersion(), null);
            }
        };
    }

    private static Rules checked(Method method, Rules rules) {
        check(method, !rules.operations.isEmpty() && Set.copyOf(rules.operations).size() == rules.operations.size(),
                "its operations must be one or more, each once");
        check(method, rules.timeoutSeconds >= 1 && rules.timeoutSeconds <= 30,
                "timeoutSeconds must be from 1 to 30");
        return rules;
    }

    private static void checkParameters(Method method, Class<?> from) {
        List<Class<?>> rest = new ArrayList<>(
                List.of(method.getParameterTypes()).subList(1, method.getParameterCount()));
        if (!rest.isEmpty() && rest.getLast() == Admission.class) {
            rest.removeLast();
        }
        String object = from.getSimpleName();
        check(method, rest.isEmpty() || rest.equals(List.of(from)),
                "its parameters must be (" + object + "), (" + object
                        + ", " + object + ") for the object as it was, each also with an Admission as the last");
    }

    private static void check(Method method, boolean holds, String remedy) {
        if (!holds) {
            throw new IllegalArgumentException("the webhook method " + method.getDeclaringClass().getSimpleName() + "."
                    + method.getName() + " cannot be called: " + remedy);
        }
    }

    private static String kebab(String camel) {
        return camel.replaceAll("([a-z0-9])([A-Z])", "$1-$2").replaceAll("[^A-Za-z0-9-]", "").toLowerCase(Locale.ROOT);
    }

    Rules admission() {
        if (rules == null) {
            throw new IllegalStateException(name + " is a conversion");
        }
        return rules;
    }

    /**
     * Calls the method.
     *
     * @param before the object as it is stored; null for a new one
     * @param admission null for a conversion
     * @return null if the method is void or returns null
     * @throws RuntimeException the exception of the method
     */
    @Nullable
    Object call(Object object, @Nullable Object before, @Nullable Admission admission) {
        List<@Nullable Object> arguments = new ArrayList<>(List.of(object));
        for (int i = 1; i < method.getParameterCount(); i++) {
            arguments.add(method.getParameterTypes()[i] == Admission.class ? admission : before);
        }
        try {
            return method.invoke(operator, arguments.toArray());
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case RuntimeException thrown -> throw thrown;
                case Error thrown -> throw thrown;
                case null, default -> throw new IllegalStateException(e.getCause());
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
