package dev.wheelhouse.client.decode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelClass.Property;

/**
 * Reads objects of one model class, and remembers the order in which their fields came: API servers write the fields of
 * a class in one order, so the next field is nearly always the one that followed the last time. Thread safe.
 */
final class ModelShape {
    private final Class<?> type;
    private final DecoderMemory memory;
    private final Supplier<Object> constructor;
    /** Whether the memory knows that the class lacks a field. Two threads may both tell it. */
    private boolean incomplete;
    /** The field that came first the last time. */
    private @Nullable Slot first;
    /** A hash table of the fields by the bytes of their names, linearly probed. */
    private final @Nullable Slot[] slots;
    /** The fields whose collections the model's constructor makes. */
    private final Slot[] collections;

    ModelShape(Class<?> type, DecoderMemory memory) {
        ModelClass model = ModelClass.of(type);
        this.type = type;
        this.memory = memory;
        this.constructor = model.constructor();
        slots = new Slot[Integer.highestOneBit(Math.max(4, model.properties().size() * 3)) * 2];
        List<Slot> preset = new ArrayList<>();
        for (Property property : model.properties()) {
            boolean skipped = type == V1ObjectMeta.class && property.name().equals("managedFields");
            Slot slot = new Slot(property, skipped, memory);
            int place = place(slot.name, 0, slot.name.length);
            while (slots[place] != null) {
                place = place + 1 & slots.length - 1;
            }
            slots[place] = slot;
            if (property.isPresetCollection() && preset.size() < Long.SIZE) {
                slot.collection = preset.size();
                preset.add(slot);
            }
        }
        collections = preset.toArray(Slot[]::new);
    }

    private static final class Slot {
        final byte[] name;
        /** The name as JSON has it, with its quotes and the colon. */
        final byte[] token;
        final Property property;
        /** Whether the value is left out of the object. */
        final boolean skipped;
        private final DecoderMemory memory;
        /** The index in {@link #collections}, or -1. */
        int collection = -1;
        /** The field that came after this one the last time. */
        @Nullable
        Slot next;
        /**
         * The reader of the field's values, made for the first object that has the field: most fields are never used.
         */
        private volatile @Nullable ValueReader reader;
        private volatile @Nullable BiConsumer<Object, @Nullable Object> setter;

        Slot(Property property, boolean skipped, DecoderMemory memory) {
            this.property = property;
            this.name = property.name().getBytes(StandardCharsets.UTF_8);
            this.token = ('"' + property.name() + "\":").getBytes(StandardCharsets.UTF_8);
            this.skipped = skipped;
            this.memory = memory;
        }

        /**
         * Sets the field. The setter is kept in this slot because one object sets a hundred fields, and each
         * indirection costs time.
         */
        void set(Object object, @Nullable Object value) {
            BiConsumer<Object, @Nullable Object> known = setter;
            if (known == null) {
                known = property.setter();
                setter = known;
            }
            known.accept(object, value);
        }

        ValueReader reader() {
            ValueReader known = reader;
            if (known == null) {
                synchronized (this) {
                    known = reader;
                    if (known == null) {
                        known = skipped ? new ValueReader.Ignored(memory) : ValueReader.of(property.type(), memory);
                        reader = known;
                    }
                }
            }
            return known;
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

    /**
     * Reads the object that begins at the cursor.
     *
     * @param depth the number of models around this one; 0 for a whole object
     */
    Object read(JsonCursor in, int depth) {
        in.expect('{');
        Object object = constructor.get();
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
                if (in.acceptNull()) {
                    if (slot.collection < 0 && !slot.skipped) {
                        slot.set(object, null);
                    }
                    continue;
                }
                Object value = slot.reader().read(in, depth);
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
                slot.set(object, slot.property.isList() ? FrozenList.EMPTY : FrozenMap.EMPTY);
            }
        }
        if (depth == 0) {
            in.predictor.end();
        }
        return object;
    }

    /** Consumes a name and the colon after it. @return the field of this name, or null */
    private @Nullable Slot named(JsonCursor in) {
        in.peek();
        int from = in.at + 1;
        int to = in.plainString();
        Slot slot = find(in.bytes, from, to);
        if (slot == null && !incomplete) {
            incomplete = true;
            memory.missed(type, new String(in.bytes, from, to - from, StandardCharsets.UTF_8));
        }
        in.expect(':');
        return slot;
    }
}
