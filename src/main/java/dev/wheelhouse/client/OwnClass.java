package dev.wheelhouse.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Copies objects of a class that is not one of the official client's models: records, and classes with fields and a
 * constructor without parameters. Holds facts about the class only. Thread safe.
 */
final class OwnClass {
    private static final ClassValue<OwnClass> KNOWN = new ClassValue<>() {
        @Override
        protected OwnClass computeValue(Class<?> type) {
            return new OwnClass(type);
        }
    };

    private final @Nullable Constructor<?> constructor;
    private final boolean record;
    private final List<Field> fields = new ArrayList<>();

    private OwnClass(Class<?> type) {
        record = type.isRecord();
        constructor = constructor(type);
    }

    static OwnClass of(Class<?> type) {
        return KNOWN.get(type);
    }

    /** Collects the fields. @return null if objects cannot be copied by their fields */
    private @Nullable Constructor<?> constructor(Class<?> type) {
        if (type.getName().startsWith("java.") || type.isArray()) {
            return null;
        }
        try {
            Constructor<?> found;
            if (record) {
                RecordComponent[] components = type.getRecordComponents();
                for (RecordComponent component : components) {
                    fields.add(type.getDeclaredField(component.getName()));
                }
                found = type.getDeclaredConstructor(
                        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            } else {
                for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
                    Arrays.stream(c.getDeclaredFields()).filter(field -> !Modifier.isStatic(field.getModifiers()))
                            .forEach(fields::add);
                }
                if (fields.stream().anyMatch(field -> Modifier.isFinal(field.getModifiers()))) {
                    return null;
                }
                found = type.getDeclaredConstructor();
            }
            found.setAccessible(true);
            fields.forEach(field -> field.setAccessible(true));
            return found;
        } catch (NoSuchMethodException | NoSuchFieldException | InaccessibleObjectException e) {
            return null;
        }
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
            if (record) {
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
