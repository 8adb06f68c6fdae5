package dev.wheelhouse.client.decode;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.ObjectReader;

import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.decode.Interner.Entry;
import dev.wheelhouse.runtime.OutOfMemory;

/** Reads the values of one field. Made from the field's type. Thread safe. */
abstract sealed class ValueReader {
    /** Models that are nested deeper are left to the full parser, so that no input overflows the stack. */
    private static final int DEEPEST = 100;

    /**
     * Reads the value at the cursor.
     *
     * @param depth the number of models around the value
     * @throws JsonCursor.Irregular if this reader does not read such a value
     */
    abstract Object read(JsonCursor in, int depth);

    static ValueReader of(Type type, DecoderMemory memory) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return new Interned(new ListOf(of(arguments[0], memory)), memory);
            }
            if (generic.getRawType() == Map.class && arguments[0] == String.class) {
                return new Interned(new MapOf(of(arguments[1], memory), memory), memory);
            }
            return new Delegated(type);
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
        if (type == OffsetDateTime.class) {
            return new Time(memory.times());
        }
        if (type == Quantity.class) {
            return new Interned(new Amount(), memory);
        }
        if (type == IntOrString.class) {
            return new Interned(new NumberOrText(), memory);
        }
        if (type == V1ObjectMeta.class) {
            // Each version of an object has other metadata, and an owner of the object may replace its annotations.
            return new Model(V1ObjectMeta.class, memory);
        }
        if (type instanceof Class<?> model && ModelClass.isModel(model)) {
            return new Interned(new Model(model, memory), memory);
        }
        return new Delegated(type);
    }

    private static ValueReader text(DecoderMemory memory) {
        return new Interned(new Text(), memory);
    }

    private static int narrow(long value) {
        if (value != (int) value) {
            throw JsonCursor.Irregular.INSTANCE;
        }
        return (int) value;
    }

    private static Object notNull(ValueReader values, JsonCursor in, int depth) {
        if (in.peek() == 'n') {
            throw JsonCursor.Irregular.INSTANCE;
        }
        return values.read(in, depth);
    }

    /** Values that may repeat. */
    private static final class Interned extends ValueReader {
        private final ValueReader values;
        private final Interner interner;

        Interned(ValueReader values, DecoderMemory memory) {
            this.values = values;
            this.interner = memory.newInterner(false);
        }

        @Override
        Object read(JsonCursor in, int depth) {
            int first = in.peek();
            if (first != '"' && first != '{' && first != '[') {
                // The end of a number, true or null shows only by the byte after it.
                return values.read(in, depth);
            }
            Entry predicted = in.predictor.predict(interner, in.bytes, in.at, in.end);
            if (predicted != null) {
                in.at += predicted.length();
                return predicted.value;
            }
            return interner.admitsNext() ? lookUp(in, depth, first) : values.read(in, depth);
        }

        private Object lookUp(JsonCursor in, int depth, int first) {
            int from = in.at;
            in.skip();
            int to = in.at;
            if (to - from > Interner.LARGEST_VALUE) {
                in.at = from;
                return values.read(in, depth);
            }
            int hash = JsonCursor.hash(in.bytes, from, to);
            Entry known = interner.get(in.bytes, from, to, hash);
            if (known != null) {
                in.predictor.found(known, first == '"');
                return known.value;
            }
            in.at = from;
            Object value = values.read(in, depth);
            if (in.at == to) {
                interner.put(in.bytes, from, to, hash, value);
            }
            return value;
        }
    }

    /**
     * A list of objects that is left out, such as {@code metadata.managedFields}. The objects in its elements are
     * interned nevertheless: if a value is known, its end need not be searched for.
     */
    static final class Ignored extends ValueReader {
        private final ValueReader parts;

        Ignored(DecoderMemory memory) {
            this.parts = new Interned(new Skipped(), memory);
        }

        @Override
        Object read(JsonCursor in, int depth) {
            if (in.peek() != '[') {
                in.skip();
                return true;
            }
            in.at++;
            if (in.peek() == ']') {
                in.at++;
                return true;
            }
            do {
                if (in.peek() == '{') {
                    readParts(in, depth);
                } else {
                    in.skip();
                }
            } while (!in.endOrComma(']'));
            return true;
        }

        private void readParts(JsonCursor in, int depth) {
            in.at++;
            if (in.peek() == '}') {
                in.at++;
                return;
            }
            do {
                in.plainString();
                in.expect(':');
                if (in.peek() == '{') {
                    parts.read(in, depth);
                } else {
                    in.skip();
                }
            } while (!in.endOrComma('}'));
        }
    }

    /**
     * Values without parts. Each is a class of its own, not a function in one class: the JIT compiler inlines a read
     * whose class it knows, and an object has a hundred of them.
     */
    private static final class Text extends ValueReader {
        @Override
        Object read(JsonCursor in, int depth) {
            return in.string();
        }
    }

    private static final class Truth extends ValueReader {
        @Override
        Object read(JsonCursor in, int depth) {
            boolean value = in.peek() == 't';
            in.literal(value ? "true" : "false");
            return value;
        }
    }

    private static final class Whole extends ValueReader {
        private final boolean isInt;

        Whole(boolean isInt) {
            this.isInt = isInt;
        }

        @Override
        Object read(JsonCursor in, int depth) {
            long value = in.integer();
            return isInt ? (Object) narrow(value) : (Object) value;
        }
    }

    private static final class Time extends ValueReader {
        private final Times times;

        Time(Times times) {
            this.times = times;
        }

        @Override
        Object read(JsonCursor in, int depth) {
            return in.time(times);
        }
    }

    private static final class Amount extends ValueReader {
        @Override
        Object read(JsonCursor in, int depth) {
            try {
                return BoundedQuantity.parse(in.string());
            } catch (RuntimeException e) {
                // The full parser reports the reason.
                throw JsonCursor.Irregular.INSTANCE;
            }
        }
    }

    private static final class NumberOrText extends ValueReader {
        @Override
        Object read(JsonCursor in, int depth) {
            return in.peek() == '"' ? new IntOrString(in.string()) : new IntOrString(narrow(in.integer()));
        }
    }

    private static final class Skipped extends ValueReader {
        @Override
        Object read(JsonCursor in, int depth) {
            in.skip();
            return true;
        }
    }

    private static final class Model extends ValueReader {
        private final Class<?> model;
        private final DecoderMemory memory;
        /** The shape of the model, made for the first value, because a model may contain its own class. */
        private volatile @Nullable ModelShape shape;

        Model(Class<?> model, DecoderMemory memory) {
            this.model = model;
            this.memory = memory;
        }

        @Override
        Object read(JsonCursor in, int depth) {
            if (depth > DEEPEST) {
                throw JsonCursor.Irregular.INSTANCE;
            }
            ModelShape known = shape;
            if (known == null) {
                known = memory.shape(model);
                shape = known;
            }
            return known.read(in, depth + 1);
        }
    }

    private static final class ListOf extends ValueReader {
        private final ValueReader elements;

        ListOf(ValueReader elements) {
            this.elements = elements;
        }

        @Override
        Object read(JsonCursor in, int depth) {
            in.expect('[');
            if (in.peek() == ']') {
                in.at++;
                return FrozenList.EMPTY;
            }
            Object[] read = new Object[1];
            int size = 0;
            do {
                if (size == read.length) {
                    read = Arrays.copyOf(read, size * 2 + 1);
                }
                read[size++] = notNull(elements, in, depth);
            } while (!in.endOrComma(']'));
            return new FrozenList(size == read.length ? read : Arrays.copyOf(read, size));
        }
    }

    private static final class MapOf extends ValueReader {
        private final ValueReader values;
        private final ValueReader names;

        MapOf(ValueReader values, DecoderMemory memory) {
            this.values = values;
            this.names = text(memory);
        }

        @Override
        Object read(JsonCursor in, int depth) {
            in.expect('{');
            if (in.peek() == '}') {
                in.at++;
                return FrozenMap.EMPTY;
            }
            Object[] pairs = new Object[16];
            int size = 0;
            do {
                if (size == pairs.length) {
                    pairs = Arrays.copyOf(pairs, size * 2);
                }
                in.peek();
                pairs[size] = names.read(in, depth);
                in.expect(':');
                pairs[size + 1] = notNull(values, in, depth);
                size += 2;
            } while (!in.endOrComma('}'));
            return FrozenMap.of(pairs, size);
        }
    }

    /** Values of a type that only the full parser reads. */
    private static final class Delegated extends ValueReader {
        private final Type type;
        private volatile @Nullable ObjectReader reader;

        Delegated(Type type) {
            this.type = type;
        }

        private ObjectReader reader() {
            ObjectReader known = reader;
            if (known == null) {
                var mapper = ModelJson.mapperForModels();
                known = mapper.readerFor(mapper.constructType(type));
                reader = known;
            }
            return known;
        }

        @Override
        Object read(JsonCursor in, int depth) {
            in.peek();
            int from = in.at;
            in.skip();
            try {
                Object value = reader().readValue(in.bytes, from, in.at - from);
                if (value == null) {
                    throw JsonCursor.Irregular.INSTANCE;
                }
                return value;
            } catch (RuntimeException | Error e) {
                // The full parser reports the reason and the field's path.
                OutOfMemory.check(e);
                throw JsonCursor.Irregular.INSTANCE;
            }
        }
    }
}
