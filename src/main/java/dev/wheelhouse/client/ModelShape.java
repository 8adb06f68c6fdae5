package dev.wheelhouse.client;

import java.lang.invoke.CallSite;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.PartialObjectMetadata;

/**
 * One model class, as the streaming decoder sees it: its fields by the bytes of their names, each with its setter, linked when
 * the first object brings it. Thread safe.
 */
final class ModelShape {
    private static final ClassValue<ModelShape> SHAPES = new ClassValue<>() {
        @Override
        protected ModelShape computeValue(Class<?> model) {
            return new ModelShape(model);
        }
    };

    private static final byte[] API_VERSION = "apiVersion".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] KIND = "kind".getBytes(StandardCharsets.US_ASCII);

    private final Supplier<Object> maker;
    /** What came first the last time. */
    private @Nullable Slot first;
    /** By hash, linearly probed. */
    private final @Nullable Slot[] slots;
    private final Slot[] collections;

    static ModelShape of(Class<?> model) {
        return SHAPES.get(model);
    }

    /** Whether objects of a class are read by their fields: those of the official client are. */
    static boolean isModel(Class<?> type) {
        return (type.getName().startsWith("io.kubernetes.client.openapi.models.")
                || type == PartialObjectMetadata.class)
                && !type.isEnum() && !Modifier.isAbstract(type.getModifiers());
    }

    /** One field. */
    private static final class Slot {
        final byte[] name;
        /** The name as it is written, with quotes and colon. */
        final byte[] token;
        final Class<?> model;
        final Field field;
        final boolean skipped;
        /** Its place among the collections, or -1. */
        int collection = -1;
        /** What came after it the last time. */
        @Nullable
        Slot next;
        private volatile @Nullable ModelValues values;
        private volatile @Nullable BiConsumer<Object, Object> setter;

        Slot(Class<?> model, Field field, String name, boolean skipped) {
            this.model = model;
            this.field = field;
            this.name = name.getBytes(StandardCharsets.UTF_8);
            this.token = ('"' + name + "\":").getBytes(StandardCharsets.UTF_8);
            this.skipped = skipped;
        }

        ModelValues values() {
            ModelValues known = values;
            if (known == null) {
                synchronized (this) {
                    known = values;
                    if (known == null) {
                        known = skipped ? new ModelValues.Ignored() : ModelValues.of(field.getGenericType());
                        values = known;
                    }
                }
            }
            return known;
        }

        void set(Object object, @Nullable Object value) {
            BiConsumer<Object, Object> known = setter;
            if (known == null) {
                known = link(model, field);
                setter = known;
            }
            known.accept(object, value);
        }
    }

    private ModelShape(Class<?> model) {
        this.maker = maker(model);
        List<Slot> made = new ArrayList<>();
        for (Field field : model.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                SerializedName name = field.getAnnotation(SerializedName.class);
                made.add(new Slot(model, field, name == null ? field.getName() : name.value(),
                        model == V1ObjectMeta.class && field.getName().equals("managedFields")));
            }
        }
        slots = new Slot[Integer.highestOneBit(Math.max(4, made.size() * 3)) * 2];
        List<Slot> ofCollections = new ArrayList<>();
        for (Slot slot : made) {
            int place = place(slot.name, 0, slot.name.length);
            while (slots[place] != null) {
                place = place + 1 & slots.length - 1;
            }
            slots[place] = slot;
            Class<?> type = slot.field.getType();
            if ((type == List.class || type == java.util.Map.class) && ofCollections.size() < Long.SIZE) {
                slot.collection = ofCollections.size();
                ofCollections.add(slot);
            }
        }
        Object fresh = maker.get();
        // Only those that the model makes beforehand: where it leaves null, null stays.
        collections = ofCollections.stream().filter(slot -> isMadeBeforehand(slot, fresh)).toArray(Slot[]::new);
    }

    private static boolean isMadeBeforehand(Slot slot, Object fresh) {
        try {
            slot.field.setAccessible(true);
            return slot.field.get(fresh) != null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }

    private int place(byte[] bytes, int from, int to) {
        int length = to - from;
        int h = length == 0
                ? 0
                : ((bytes[from] * 31 + bytes[from + (length >> 1)]) * 31 + bytes[to - 1]) * 31 + length;
        return (h ^ h >>> 7) & slots.length - 1;
    }

    private @Nullable Slot find(byte[] bytes, int from, int to) {
        int place = place(bytes, from, to);
        while (true) {
            Slot slot = slots[place];
            if (slot == null) {
                return null;
            }
            byte[] name = slot.name;
            if (name.length == to - from && Arrays.equals(name, 0, name.length, bytes, from, to)) {
                return slot;
            }
            place = place + 1 & slots.length - 1;
        }
    }

    /** Reads one object; at depth 0 a whole one. */
    Object read(JsonBytes in, int depth) {
        in.expect('{');
        Object object = maker.get();
        long present = 0;
        if (in.peek() == '}') {
            in.at++;
        } else {
            Slot guess = first;
            Slot last = null;
            do {
                Slot slot;
                if (guess != null && in.accept(guess.token)) {
                    slot = guess;
                } else {
                    slot = named(in);
                    if (last == null) {
                        first = slot;
                    } else {
                        last.next = slot;
                    }
                }
                if (slot == null) {
                    in.skip();
                    continue;
                }
                last = slot;
                guess = slot.next;
                if (ModelValues.isNull(in)) {
                    if (slot.collection < 0 && !slot.skipped) {
                        slot.set(object, null);
                    }
                    continue;
                }
                Object value = slot.values().read(in, depth);
                if (!slot.skipped) {
                    slot.set(object, value);
                    if (slot.collection >= 0) {
                        present |= 1L << slot.collection;
                    }
                }
            } while (!in.endOrComma('}'));
        }
        for (Slot slot : collections) {
            if ((present & 1L << slot.collection) == 0) {
                slot.set(object, slot.field.getType() == List.class ? FrozenList.EMPTY : FrozenMap.EMPTY);
            }
        }
        if (depth == 0) {
            in.recall.end();
        }
        return object;
    }

    /** Consumes a name and the colon after it. @return its field; null if there is none of that name */
    private @Nullable Slot named(JsonBytes in) {
        in.peek();
        int from = in.at + 1;
        int to = in.plainString();
        Slot slot = find(in.bytes, from, to);
        in.expect(':');
        return slot;
    }

    /** Sets {@code apiVersion} and {@code kind}, which the items of a list lack. */
    void fillIn(Object object, String apiVersion, String kind) {
        set(object, API_VERSION, apiVersion);
        set(object, KIND, kind);
    }

    private void set(Object object, byte[] name, String value) {
        Slot slot = find(name, 0, name.length);
        if (slot != null) {
            slot.set(object, value);
        }
    }

    // ---- linking

    @SuppressWarnings("unchecked")
    private static Supplier<Object> maker(Class<?> model) {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle constructor = lookup.findConstructor(model, MethodType.methodType(void.class));
            CallSite site = LambdaMetafactory.metafactory(lookup, "get", MethodType.methodType(Supplier.class),
                    MethodType.methodType(Object.class), constructor, MethodType.methodType(model));
            return (Supplier<Object>) site.getTarget().invoke();
        } catch (Throwable e) {
            throw new IllegalArgumentException(model.getName() + " has no public constructor without parameters", e);
        }
    }

    @SuppressWarnings("unchecked")
    private static BiConsumer<Object, Object> link(Class<?> model, Field field) {
        String name = "set" + Character.toUpperCase(field.getName().charAt(0)) + field.getName().substring(1);
        try {
            Method method = model.getMethod(name, field.getType());
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle handle = lookup.unreflect(method);
            CallSite site = LambdaMetafactory.metafactory(lookup, "accept", MethodType.methodType(BiConsumer.class),
                    MethodType.methodType(void.class, Object.class, Object.class), handle,
                    MethodType.methodType(void.class, model, field.getType()));
            return (BiConsumer<Object, Object>) site.getTarget().invoke();
        } catch (NoSuchMethodException e) {
            return reflective(field);
        } catch (Throwable e) {
            throw new IllegalArgumentException("the setter of " + field + " cannot be linked", e);
        }
    }

    private static BiConsumer<Object, Object> reflective(Field field) {
        field.setAccessible(true);
        return (object, value) -> {
            try {
                field.set(object, value);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        };
    }
}
