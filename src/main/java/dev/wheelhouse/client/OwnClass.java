package dev.wheelhouse.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A class that is not one of the official client's models: how its objects are made, and copied field by field. Holds
 * facts about the class only. Thread safe.
 */
final class OwnClass {
    private static final ClassValue<OwnClass> KNOWN = new ClassValue<>() {
        @Override
        protected OwnClass computeValue(Class<?> type) {
            return new OwnClass(type);
        }
    };

    private final @Nullable Constructor<?> constructor;
    /** Whether the constructor takes the values of all fields; else it takes none. */
    private final boolean takesAll;
    private final List<Field> fields = new ArrayList<>();

    private OwnClass(Class<?> type) {
        Constructor<?> found = null;
        try {
            found = constructor(type);
            if (found != null) {
                found.setAccessible(true);
                fields.forEach(field -> field.setAccessible(true));
            }
        } catch (InaccessibleObjectException e) {
            found = null;
        }
        constructor = found;
        takesAll = found != null && found.getParameterCount() > 0;
    }

    static OwnClass of(Class<?> type) {
        return KNOWN.get(type);
    }

    /** Collects the fields. @return null if objects cannot be copied by their fields */
    private @Nullable Constructor<?> constructor(Class<?> type) {
        if (type.getName().startsWith("java.") || type.isArray()) {
            return null;
        }
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            fields.addAll(fieldsOf(c));
        }
        if (!type.isRecord() && fields.stream().noneMatch(field -> Modifier.isFinal(field.getModifiers()))) {
            return declared(type);
        }
        return takesAll(type);
    }

    /** The fields of each object that a class declares itself, in their order. */
    private static List<Field> fieldsOf(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields()).filter(field -> !Modifier.isStatic(field.getModifiers()))
                .toList();
    }

    private static @Nullable Constructor<?> declared(Class<?> type, Class<?>... parameters) {
        try {
            return type.getDeclaredConstructor(parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /**
     * The constructor that takes the values of all fields in the order of their declaration. Records have it, and
     * immutable classes of Lombok and Kotlin. A constructor whose parameters have names has those of the fields.
     *
     * @return null if there is none, or if the class has fields of a superclass
     */
    static @Nullable Constructor<?> takesAll(Class<?> type) {
        List<Field> own = fieldsOf(type);
        for (Class<?> c = type.getSuperclass(); c != null; c = c.getSuperclass()) {
            if (!fieldsOf(c).isEmpty()) {
                return null;
            }
        }
        Constructor<?> found = declared(type, own.stream().map(Field::getType).toArray(Class<?>[]::new));
        if (found == null || own.isEmpty() || own.stream().anyMatch(field -> field.isSynthetic()
                || Modifier.isTransient(field.getModifiers()))) {
            return null;
        }
        Parameter[] parameters = found.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].isNamePresent() && !parameters[i].getName().equals(own.get(i).getName())) {
                return null;
            }
        }
        return found;
    }

    /** The name of the field whose value a parameter of {@link #takesAll(Class)} takes. */
    static String fieldOf(Constructor<?> takesAll, int parameter) {
        return fieldsOf(takesAll.getDeclaringClass()).get(parameter).getName();
    }

    /** Whether objects of a class need {@link #takesAll(Class)} to be made. */
    static boolean needsAll(Class<?> type) {
        return declared(type) == null
                || fieldsOf(type).stream().anyMatch(field -> Modifier.isFinal(field.getModifiers()));
    }

    /** The value that a field has in an object that is made without any values; null if none can be made. */
    static @Nullable Object preset(Field field) {
        Constructor<?> constructor = declared(field.getDeclaringClass());
        if (constructor == null || Modifier.isAbstract(field.getDeclaringClass().getModifiers())) {
            return null;
        }
        try {
            constructor.setAccessible(true);
            field.setAccessible(true);
            return field.get(constructor.newInstance());
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            return null;
        }
    }

    /**
     * The values of the arguments of {@link #takesAll(Class)} that an object lacks, by a class's constructor without
     * parameters. Kotlin makes both where all parameters have defaults.
     *
     * @param parameters the numbers of the missing arguments
     */
    static Map<Integer, Object> presets(Class<?> type, List<Integer> parameters) {
        List<Field> own = fieldsOf(type);
        Map<Integer, Object> presets = new HashMap<>();
        for (int parameter : parameters) {
            Object value = preset(own.get(parameter));
            if (value != null) {
                presets.put(parameter, value);
            }
        }
        return presets;
    }

    /** Whether {@link #copy} can copy objects of the class. */
    boolean isCopyable() {
        return constructor != null;
    }

    /** A new object; the function makes each of its values from the original's. */
    Object copy(Object original, UnaryOperator<@Nullable Object> function) {
        if (constructor == null) {
            throw new IllegalStateException(original.getClass() + " cannot be copied by its fields");
        }
        try {
            if (takesAll) {
                Object[] values = new Object[fields.size()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = function.apply(fields.get(i).get(original));
                }
                return constructor.newInstance(values);
            }
            Object copy = constructor.newInstance();
            for (Field field : fields) {
                field.set(copy, function.apply(field.get(original)));
            }
            return copy;
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("cannot copy a " + original.getClass().getName(), e);
        }
    }
}
