package dev.wheelhouse.client.decode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelClass.Property;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * One model class as a protobuf message: reads its objects. It knows its fields by their numbers, which are facts of
 * the type. Thread safe.
 */
final class WireShape {
    private final Class<?> type;
    private final DecoderMemory memory;
    private final Supplier<Object> constructor;
    /** Whether the memory knows that the class lacks a field. Two threads may both tell it. */
    private boolean incomplete;
    private final @Nullable Field[] fields;
    /** The fields with lists and maps. The index of a field is the index of its bit in {@link #read}. */
    private final List<Slot> collections = new ArrayList<>();

    /** @param typeName the full name of the type that the model stands for, such as {@code io.k8s.api.core.v1.Pod} */
    WireShape(Class<?> type, String typeName, DecoderMemory memory) {
        TypeSchema schema = Schemas.ofName(typeName);
        if (schema == null) {
            throw new IllegalArgumentException("there are no facts of the type " + typeName);
        }
        ModelClass model = ModelClass.of(type);
        this.type = type;
        this.memory = memory;
        constructor = model.constructor();
        List<Slot> slots = new ArrayList<>();
        for (Property property : model.properties()) {
            TypeSchema.Field facts = schema.field(property.name());
            if (facts != null && !facts.numbers().isEmpty()) {
                boolean skipped = type == V1ObjectMeta.class && property.name().equals("managedFields");
                Slot slot = new Slot(property, facts, skipped, memory);
                slots.add(slot);
                if (slot.many && collections.size() < Long.SIZE) {
                    slot.bit = 1L << collections.size();
                    collections.add(slot);
                }
                slot.part = KnownVersion.part(facts.numbers());
            }
        }
        fields = table(slots, 0);
    }

    /** The fields by their numbers at one depth of embedded structs. */
    private static @Nullable Field[] table(List<Slot> slots, int depth) {
        Map<Integer, List<Slot>> groups = slots.stream()
                .collect(Collectors.groupingBy(slot -> slot.facts.numbers().get(depth)));
        Field[] table = new Field[groups.isEmpty() ? 0 : Collections.max(groups.keySet()) + 1];
        groups.forEach((number, group) -> table[number] = group.getFirst().facts.numbers().size() == depth + 1
                ? group.getFirst()
                : new Embedded(table(group, depth + 1)));
        return table;
    }

    /** A field of a message. */
    sealed interface Field {}

    /** A struct that Go embeds. It is a message of its own, but its fields belong to the same model. */
    static final class Embedded implements Field {
        final @Nullable Field[] fields;

        private Embedded(@Nullable Field[] fields) {
            this.fields = fields;
        }
    }

    /** A property of the model. */
    static final class Slot implements Field {
        final Property property;
        final TypeSchema.Field facts;
        /** Whether the value is left out of the object. */
        private final boolean skipped;
        /** Whether the value is a list or a map, whose elements are fields of one number. */
        private final boolean many;
        /** Whether a zero value differs from an absent one. */
        private final boolean keepsZero;
        private final DecoderMemory memory;
        /** Marks a field of a collection that an object has; zero for other fields. */
        private long bit;
        /** The index among the parts of a whole object that are compared with its {@link KnownVersion}, or -1. */
        int part;
        /**
         * The reader of the field's values, made for the first object that has the field: most fields are never used.
         */
        private volatile @Nullable WireReader reader;
        private volatile @Nullable BiConsumer<Object, @Nullable Object> setter;

        private Slot(Property property, TypeSchema.Field facts, boolean skipped, DecoderMemory memory) {
            this.property = property;
            this.facts = facts;
            this.skipped = skipped;
            this.many = facts.shape() != TypeSchema.Shape.SINGLE;
            this.keepsZero = facts.pointer() || facts.always();
            this.memory = memory;
        }

        private void set(Object object, @Nullable Object value) {
            BiConsumer<Object, @Nullable Object> known = setter;
            if (known == null) {
                known = property.setter();
                setter = known;
            }
            known.accept(object, value);
        }

        WireReader reader() {
            WireReader known = reader;
            if (known == null) {
                synchronized (this) {
                    known = reader;
                    if (known == null) {
                        known = WireReader.of(property.type(), facts.typeName(), memory);
                        reader = known;
                    }
                }
            }
            return known;
        }
    }

    /** The fields by their numbers; null for numbers without a field. */
    @Nullable
    Field[] fields() {
        return fields;
    }

    /**
     * Reads the message from the cursor to an end.
     *
     * @param depth the number of models around this one; 0 for a whole object
     * @throws WireException if the bytes are not such a message
     */
    Object read(WireCursor in, int end, int depth) {
        Object object = constructor.get();
        long present = read(object, fields, in, end, depth, 0);
        for (Slot slot : collections) {
            if ((present & slot.bit) == 0 && slot.property.isPresetCollection()) {
                slot.set(object, slot.property.isList() ? FrozenList.EMPTY : FrozenMap.EMPTY);
            }
        }
        if (depth == 0) {
            in.predictor.end();
            if (in.version != null) {
                in.version.end((KubernetesObject) object);
            }
        }
        return object;
    }

    /** @param present the bits of the collections that the object has. @return the same with those that were read */
    private long read(Object object, @Nullable Field[] table, WireCursor in, int end, int depth, long present) {
        long bits = present;
        while (in.at < end) {
            int from = in.at;
            int tag = in.tag(end);
            int number = tag >>> 3;
            Field field = number < table.length ? table[number] : null;
            if (field instanceof Slot slot) {
                try {
                    if (slot.skipped) {
                        in.skip(tag, end);
                    } else if (slot.many) {
                        in.at = from;
                        collection(object, slot, in, end, depth, (bits & slot.bit) != 0);
                        bits |= slot.bit;
                    } else {
                        single(object, slot, tag, in, end, depth);
                    }
                } catch (WireException e) {
                    throw e.in(slot.property.name());
                }
            } else if (field instanceof Embedded struct) {
                bits = read(object, struct.fields, in, in.delimited(tag, end), depth, bits);
            } else {
                if (!incomplete) {
                    incomplete = true;
                    memory.missed(type, "number " + number);
                }
                in.skip(tag, end);
            }
        }
        return bits;
    }

    /** @param again whether the object has elements that came earlier in the message */
    private static void collection(Object object, Slot slot, WireCursor in, int end, int depth, boolean again) {
        int to = in.endOfRun(end);
        Object value = value(object, slot, in, to, depth);
        in.at = to;
        if (again) {
            in.countJoin();
            if (in.version != null && depth == 0) {
                in.version.forget(slot);
            }
            value = WireReader.joined(slot.property.get(object), value);
        }
        slot.set(object, value);
    }

    private static void single(Object object, Slot slot, int tag, WireCursor in, int end, int depth) {
        WireReader reader = slot.reader();
        WireCursor.require(tag, reader.wireType());
        if (reader.wireType() == WireCursor.DELIMITED) {
            int to = in.delimited(end);
            if (to > in.at || slot.keepsZero) {
                Object value = value(object, slot, in, to, depth);
                if (value != null) {
                    slot.set(object, value);
                }
            }
            in.at = to;
        } else {
            Object value = reader.read(in, end, depth);
            if (slot.keepsZero || !WireReader.isZero(value)) {
                slot.set(object, value);
            }
        }
    }

    private static @Nullable Object value(Object object, Slot slot, WireCursor in, int to, int depth) {
        KnownVersion version = in.version;
        return version != null && depth == 0 && slot.part >= 0
                ? version.read((KubernetesObject) object, slot, in, to)
                : slot.reader().read(in, to, depth);
    }
}
