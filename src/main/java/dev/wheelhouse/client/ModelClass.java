package dev.wheelhouse.client;

import java.lang.invoke.CallSite;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.PartialObjectMetadata;

/**
 * One of the official client's model classes: its constructor, and its properties by their JSON names. The models are
 * generated code without an interface for this, so this class reads their private fields; no other class reflects on
 * them. {@code ModelClassTest} fails if an upgrade of the official client changes what this class relies on. A
 * {@code ModelClass} holds facts about a class and nothing learned from objects, so there is one for each class.
 * Thread safe.
 */
public final class ModelClass {
    /** False in a native image, which has no classes that are made at run time. */
    private static final boolean LINKS = System.getProperty("org.graalvm.nativeimage.imagecode") == null;

    private static final ClassValue<ModelClass> KNOWN = new ClassValue<>() {
        @Override
        protected ModelClass computeValue(Class<?> model) {
            return new ModelClass(model);
        }
    };

    private final Supplier<Object> constructor;
    private final List<Property> properties;

    private ModelClass(Class<?> model) {
        constructor = linkConstructor(model);
        Object fresh = constructor.get();
        // Only PartialObjectMetadata has a superclass with fields.
        properties = Stream.of(model, model.getSuperclass()).flatMap(type -> Stream.of(type.getDeclaredFields()))
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .map(field -> new Property(model, field, fresh)).toList();
    }

    /** @throws IllegalArgumentException if the class has no public constructor without parameters */
    public static ModelClass of(Class<?> model) {
        return KNOWN.get(model);
    }

    /** Whether a class is one of the official client's models, or {@link PartialObjectMetadata}. */
    public static boolean isModel(Class<?> type) {
        return (type.getName().startsWith("io.kubernetes.client.openapi.models.")
                || type == PartialObjectMetadata.class)
                && !type.isEnum() && !Modifier.isAbstract(type.getModifiers());
    }

    /** Makes a new object by the constructor without parameters. */
    public Supplier<Object> constructor() {
        return constructor;
    }

    /** The properties in the order of their declaration. */
    public List<Property> properties() {
        return properties;
    }

    /** A new object; the function makes the value of each of its properties from the original's value. */
    Object copy(Object original, UnaryOperator<@Nullable Object> function) {
        Object copy = constructor.get();
        try {
            for (Property property : properties) {
                property.field.set(copy, function.apply(property.get(original)));
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("cannot copy a " + original.getClass(), e);
        }
        return copy;
    }

    /** One JSON property of a model. */
    public static final class Property {
        private final Class<?> model;
        private final Field field;
        private final String name;
        private final boolean presetCollection;
        /** The getter, made at the first use, like the setter: most properties are never used. */
        private volatile @Nullable Function<Object, @Nullable Object> getter;
        private volatile @Nullable BiConsumer<Object, @Nullable Object> setter;

        private Property(Class<?> model, Field field, Object fresh) {
            SerializedName annotation = field.getAnnotation(SerializedName.class);
            field.setAccessible(true);
            this.model = model;
            this.field = field;
            this.name = annotation == null ? field.getName() : annotation.value();
            try {
                // Read only for collections, because the first reflective read of a field costs a tenth of a
                // millisecond.
                this.presetCollection = (isList() || field.getType() == Map.class) && field.get(fresh) != null;
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        /** The property's name in JSON. */
        public String name() {
            return name;
        }

        /** The declared type, with its type arguments. */
        public Type type() {
            return field.getGenericType();
        }

        public boolean isList() {
            return field.getType() == List.class;
        }

        /** Whether the property is a list or a map that the constructor sets, to an empty one. */
        public boolean isPresetCollection() {
            return presetCollection;
        }

        /** The property's value. */
        public @Nullable Object get(Object object) {
            Function<Object, @Nullable Object> known = getter;
            if (known == null) {
                known = linkGetter(model, field);
                getter = known;
            }
            return known.apply(object);
        }

        /** Sets the property by the model's setter, or in its field if the model has no setter. */
        public BiConsumer<Object, @Nullable Object> setter() {
            BiConsumer<Object, @Nullable Object> known = setter;
            if (known == null) {
                known = linkSetter(model, field);
                setter = known;
            }
            return known;
        }
    }

    /** Whether the API requires a property of a model; false for other classes. */
    static boolean isRequired(Class<?> model, String property) {
        try {
            return model.getField("openapiRequiredFields").get(null) instanceof Set<?> required
                    && required.contains(property);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /**
     * Sets {@code apiVersion} and {@code kind}, which the items of a list lack. The object's class may be none of the
     * models. Loads no JSON library, which would cost a new process a quarter of a second of CPU time.
     */
    public static void fillIn(KubernetesObject object, String apiVersion, String kind) {
        Class<?> type = object.getClass();
        if (isModel(type)) {
            ModelClass model = of(type);
            model.set(object, "apiVersion", apiVersion);
            model.set(object, "kind", kind);
            return;
        }
        try {
            type.getMethod("setApiVersion", String.class).invoke(object, apiVersion);
            type.getMethod("setKind", String.class).invoke(object, kind);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    type.getName() + " is no Kubernetes model: it has no public setApiVersion or setKind", e);
        }
    }

    private void set(Object object, String name, String value) {
        for (Property property : properties) {
            if (property.name.equals(name)) {
                property.setter().accept(object, value);
                return;
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Supplier<Object> linkConstructor(Class<?> model) {
        try {
            if (!LINKS) {
                Constructor<?> constructor = model.getConstructor();
                return () -> Objects.requireNonNull(reflected(constructor::newInstance));
            }
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle constructor = lookup.findConstructor(model, MethodType.methodType(void.class));
            CallSite site = LambdaMetafactory.metafactory(lookup, "get", MethodType.methodType(Supplier.class),
                    MethodType.methodType(Object.class), constructor, MethodType.methodType(model));
            return (Supplier<Object>) site.getTarget().invoke();
        } catch (Throwable e) {
            throw new IllegalArgumentException(model.getName() + " has no public constructor without parameters", e);
        }
    }

    private static String accessor(String verb, Field field) {
        return verb + Character.toUpperCase(field.getName().charAt(0)) + field.getName().substring(1);
    }

    /** A getter that the JIT compiler inlines, which it does not with {@link Field#get}. */
    @SuppressWarnings("unchecked")
    private static Function<Object, @Nullable Object> linkGetter(Class<?> model, Field field) {
        if (!LINKS) {
            return object -> reflected(() -> field.get(object));
        }
        try {
            Method method = model.getMethod(accessor("get", field));
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CallSite site = LambdaMetafactory.metafactory(lookup, "apply", MethodType.methodType(Function.class),
                    MethodType.methodType(Object.class, Object.class), lookup.unreflect(method),
                    MethodType.methodType(field.getType(), model));
            return (Function<Object, @Nullable Object>) site.getTarget().invoke();
        } catch (NoSuchMethodException e) {
            return object -> reflected(() -> field.get(object));
        } catch (Throwable e) {
            throw new IllegalArgumentException("the getter of " + field + " cannot be linked", e);
        }
    }

    /** A setter that the JIT compiler inlines, which it does not with {@link Field#set}. */
    @SuppressWarnings("unchecked")
    private static BiConsumer<Object, @Nullable Object> linkSetter(Class<?> model, Field field) {
        if (!LINKS) {
            return (object, value) -> set(field, object, value);
        }
        try {
            Method method = model.getMethod(accessor("set", field), field.getType());
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CallSite site = LambdaMetafactory.metafactory(lookup, "accept", MethodType.methodType(BiConsumer.class),
                    MethodType.methodType(void.class, Object.class, Object.class), lookup.unreflect(method),
                    MethodType.methodType(void.class, model, field.getType()));
            return (BiConsumer<Object, @Nullable Object>) site.getTarget().invoke();
        } catch (NoSuchMethodException e) {
            return (object, value) -> set(field, object, value);
        } catch (Throwable e) {
            throw new IllegalArgumentException("the setter of " + field + " cannot be linked", e);
        }
    }

    private static void set(Field field, Object object, @Nullable Object value) {
        reflected(() -> {
            field.set(object, value);
            return null;
        });
    }

    private interface Reflection {
        @Nullable
        Object call() throws ReflectiveOperationException;
    }

    private static @Nullable Object reflected(Reflection reflection) {
        try {
            return reflection.call();
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
