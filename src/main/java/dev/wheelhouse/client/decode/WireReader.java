package dev.wheelhouse.client.decode;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.decode.Interner.Entry;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** Reads the values of one protobuf field. Made from the Java type of the field and the facts' type. Thread safe. */
abstract class WireReader {
    /** Models that are nested deeper are refused, so that no input overflows the stack. */
    private static final int DEEPEST = 100;

    /**
     * Reads a value.
     *
     * @param in at the value; of a list or a map, at the tag of the first element
     * @param end the index after the value; for numbers, after the message around it
     * @param depth the number of models around the value
     * @return null for an empty point in time or an empty text of JSON, which stand for null
     * @throws WireException if there is no such value
     */
    abstract @Nullable Object read(WireCursor in, int end, int depth);

    /** The wire type of single values. */
    int wireType() {
        return WireCursor.DELIMITED;
    }

    /** @param typeName the name of the facts' type, of an element where the Java type is a list or a map */
    static WireReader of(Type type, String typeName, DecoderMemory memory) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            return generic.getRawType() == List.class
                    ? new Interned(new ListOf(of(arguments[0], typeName, memory)), false, memory)
                    : new Interned(new MapOf(of(arguments[1], typeName, memory), memory), false, memory);
        }
        if (type == String.class) {
            return text(memory);
        }
        if (type == Boolean.class) {
            return new Truth();
        }
        if (type == Integer.class || type == Long.class) {
            return new Whole(type == Integer.class);
        }
        if (type == Double.class) {
            return new Real();
        }
        if (type == byte[].class) {
            return new Bytes();
        }
        if (type == OffsetDateTime.class) {
            TypeSchema schema = Schemas.ofName(typeName);
            return new Time(memory.times(), schema != null && "micro-time".equals(schema.scalar()));
        }
        if (type == Quantity.class) {
            return new Interned(new Amount(), true, memory);
        }
        if (type == IntOrString.class) {
            return new Interned(new NumberOrText(), true, memory);
        }
        if (type == V1ObjectMeta.class) {
            // Each version of an object has other metadata, and an owner of the object may replace its annotations.
            return new Model(V1ObjectMeta.class, typeName, memory);
        }
        if (type instanceof Class<?> model && ModelClass.isModel(model)) {
            return new Interned(new Model(model, typeName, memory), false, memory);
        }
        if (type == Object.class) {
            return WireJson.of(typeName, memory);
        }
        throw new IllegalArgumentException("no reader for values of " + type + ", the type " + typeName);
    }

    private static WireReader text(DecoderMemory memory) {
        return new Interned(new Text(), true, memory);
    }

    private static Object present(@Nullable Object element) {
        if (element == null) {
            throw new WireException("an element is null");
        }
        return element;
    }

    /** Whether a number or a truth is the one that an absent field stands for. */
    static boolean isZero(@Nullable Object value) {
        return value instanceof Number number ? number.doubleValue() == 0 : Boolean.FALSE.equals(value);
    }

    /** The list or map of elements that came in two places of a message. */
    static @Nullable Object joined(@Nullable Object first, @Nullable Object second) {
        if (first instanceof Map<?, ?> one && second instanceof Map<?, ?> other) {
            List<Object> pairs = new ArrayList<>();
            one.forEach((name, value) -> pairs.addAll(List.of(name, value)));
            other.forEach((name, value) -> pairs.addAll(List.of(name, value)));
            return FrozenMap.of(pairs.toArray(), pairs.size());
        }
        if (first instanceof List<?> one && second instanceof List<?> other) {
            Object[] all = Arrays.copyOf(one.toArray(), one.size() + other.size(), Object[].class);
            System.arraycopy(other.toArray(), 0, all, one.size(), other.size());
            return new FrozenList(all);
        }
        return second;
    }

    /** Values that may repeat. */
    private static final class Interned extends WireReader {
        private final WireReader values;
        private final boolean isText;
        private final Interner interner;

        Interned(WireReader values, boolean isText, DecoderMemory memory) {
            this.values = values;
            this.isText = isText;
            this.interner = memory.newInterner(true);
        }

        @Override
        @Nullable
        Object read(WireCursor in, int end, int depth) {
            int from = in.at;
            Entry predicted = in.predictor.predict(interner, in.bytes, from, end);
            if (predicted != null) {
                return predicted.value;
            }
            if (end - from > Interner.LARGEST_VALUE || !interner.admitsNext()) {
                return values.read(in, end, depth);
            }
            int hash = JsonCursor.hash(in.bytes, from, end);
            Entry known = interner.get(in.bytes, from, end, hash);
            if (known != null) {
                in.predictor.found(known, isText);
                return known.value;
            }
            Object value = values.read(in, end, depth);
            if (value != null) {
                interner.put(in.bytes, from, end, hash, value);
            }
            return value;
        }
    }

    /**
     * Values without parts. Each is a class of its own, not a function in one class: the JIT compiler inlines a read
     * whose class it knows, and an object has a hundred of them.
     */
    static final class Text extends WireReader {
        @Override
        Object read(WireCursor in, int end, int depth) {
            return in.text(end);
        }
    }

    static final class Truth extends WireReader {
        @Override
        int wireType() {
            return WireCursor.VARINT;
        }

        @Override
        Object read(WireCursor in, int end, int depth) {
            return in.varint(end) != 0;
        }
    }

    private static final class Whole extends WireReader {
        private final boolean isInt;

        Whole(boolean isInt) {
            this.isInt = isInt;
        }

        @Override
        int wireType() {
            return WireCursor.VARINT;
        }

        @Override
        Object read(WireCursor in, int end, int depth) {
            long value = in.varint(end);
            return isInt ? (Object) (int) value : (Object) value;
        }
    }

    private static final class Real extends WireReader {
        @Override
        int wireType() {
            return WireCursor.FIXED64;
        }

        @Override
        Object read(WireCursor in, int end, int depth) {
            return Double.longBitsToDouble(in.fixed64(end));
        }
    }

    private static final class Bytes extends WireReader {
        @Override
        Object read(WireCursor in, int end, int depth) {
            return Arrays.copyOfRange(in.bytes, in.at, end);
        }
    }

    private static final class Time extends WireReader {
        private final Times times;
        private final boolean micros;

        Time(Times times, boolean micros) {
            this.times = times;
            this.micros = micros;
        }

        @Override
        @Nullable
        Object read(WireCursor in, int end, int depth) {
            return in.at == end ? null : in.time(times, micros, end);
        }
    }

    private static final class Amount extends WireReader {
        @Override
        Object read(WireCursor in, int end, int depth) {
            int to = in.enter(1, end);
            String text = to < 0 ? "0" : in.text(to);
            try {
                return BoundedQuantity.parse(text);
            } catch (RuntimeException e) {
                throw new WireException("no quantity: " + e.getMessage());
            }
        }
    }

    private static final class NumberOrText extends WireReader {
        private static final int TYPE = 1 << 3;
        private static final int NUMBER = 2 << 3;
        private static final int TEXT = 3 << 3 | WireCursor.DELIMITED;

        @Override
        Object read(WireCursor in, int end, int depth) {
            boolean isText = false;
            int number = 0;
            String text = "";
            while (in.at < end) {
                int tag = in.tag(end);
                switch (tag) {
                    case TYPE -> isText = in.varint(end) != 0;
                    case NUMBER -> number = (int) in.varint(end);
                    case TEXT -> text = in.text(in.delimited(end));
                    default -> in.skip(tag, end);
                }
            }
            return isText ? new IntOrString(text) : new IntOrString(number);
        }
    }

    static final class Model extends WireReader {
        private final Class<?> model;
        private final String typeName;
        private final DecoderMemory memory;
        /** The shape of the model, made for the first value, because a model may contain its own class. */
        private volatile @Nullable WireShape shape;

        Model(Class<?> model, String typeName, DecoderMemory memory) {
            this.model = model;
            this.typeName = typeName;
            this.memory = memory;
        }

        @Override
        Object read(WireCursor in, int end, int depth) {
            if (depth > DEEPEST) {
                throw new WireException("it is nested in more than " + DEEPEST + " objects");
            }
            WireShape known = shape;
            if (known == null) {
                known = memory.wireShape(model, typeName);
                shape = known;
            }
            return known.read(in, end, depth + 1);
        }
    }

    /** Elements with one tag, which is before each of them. Numbers may also be packed into one element. */
    static final class ListOf extends WireReader {
        private final WireReader elements;

        ListOf(WireReader elements) {
            this.elements = elements;
        }

        @Override
        Object read(WireCursor in, int end, int depth) {
            Object[] read = new Object[1];
            int size = 0;
            while (in.at < end) {
                int tag = in.tag(end);
                boolean packed = (tag & 7) != elements.wireType();
                int to = elements.wireType() == WireCursor.DELIMITED || packed ? in.delimited(tag, end) : end;
                for (boolean more = !packed || in.at < to; more; more = packed && in.at < to) {
                    if (size == read.length) {
                        read = Arrays.copyOf(read, size * 2 + 1);
                    }
                    Object element = elements.read(in, to, depth);
                    // Any JSON may be null, as in the list of a schema's allowed values.
                    read[size++] = elements instanceof WireJson ? element : present(element);
                }
                in.at = elements.wireType() == WireCursor.DELIMITED ? to : in.at;
            }
            return size == 0
                    ? FrozenList.EMPTY
                    : new FrozenList(size == read.length ? read : Arrays.copyOf(read, size));
        }
    }

    /** Messages of a name and a value, with one tag, which is before each of them. */
    private static final class MapOf extends WireReader {
        private final WireReader names;
        private final WireReader values;

        MapOf(WireReader values, DecoderMemory memory) {
            this.names = text(memory);
            this.values = values;
        }

        @Override
        Object read(WireCursor in, int end, int depth) {
            Object[] pairs = new Object[16];
            int size = 0;
            while (in.at < end) {
                if (size == pairs.length) {
                    pairs = Arrays.copyOf(pairs, size * 2);
                }
                int to = in.delimited(in.tag(end), end);
                Object name = "";
                Object value = null;
                while (in.at < to) {
                    int tag = in.tag(to);
                    switch (tag >>> 3) {
                        case 1 -> name = one(names, tag, in, to, depth);
                        case 2 -> value = one(values, tag, in, to, depth);
                        default -> in.skip(tag, to);
                    }
                }
                pairs[size] = name;
                pairs[size + 1] = value != null ? value : present(values.read(in, to, depth));
                size += 2;
            }
            return FrozenMap.of(pairs, size);
        }

        private static Object one(WireReader reader, int tag, WireCursor in, int end, int depth) {
            int to = in.delimited(tag, end);
            Object value = present(reader.read(in, to, depth));
            in.at = to;
            return value;
        }
    }
}
