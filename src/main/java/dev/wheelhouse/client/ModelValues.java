package dev.wheelhouse.client;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;

import tools.jackson.databind.ObjectReader;

import dev.wheelhouse.client.SharedValues.Entry;

/** How the values of one field are read, made from the field's type. */
abstract sealed class ModelValues {
    private static final int DEEPEST = 100;
    private static final String NULL = "null";

    /** Reads what the cursor stands at, which is not null. */
    abstract Object read(JsonBytes in, int depth);

    static ModelValues of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return new Shared(new ListOf(of(arguments[0])));
            }
            if (generic.getRawType() == Map.class && arguments[0] == String.class) {
                return new Shared(new MapOf(of(arguments[1])));
            }
            return new Delegated(type);
        }
        if (type == String.class) {
            return new Shared(new Text());
        }
        if (type == Boolean.class) {
            return new Truth();
        }
        if (type == Integer.class || type == Long.class) {
            return new Whole(type == Integer.class);
        }
        if (type == OffsetDateTime.class) {
            return new Time();
        }
        if (type == Quantity.class || type == IntOrString.class) {
            return new Shared(new Scalar(type));
        }
        if (type instanceof Class<?> model && ModelShape.isModel(model)) {
            return new Shared(new Model(model));
        }
        return new Delegated(type);
    }

    private static Object notNull(ModelValues values, JsonBytes in, int depth) {
        if (in.peek() == 'n') {
            throw JsonBytes.Irregular.INSTANCE;
        }
        return values.read(in, depth);
    }

    /** Values that may have been seen before. */
    static final class Shared extends ModelValues {
        private final ModelValues values;
        private final SharedValues seen = new SharedValues();

        Shared(ModelValues values) {
            this.values = values;
        }

        @Override
        Object read(JsonBytes in, int depth) {
            int first = in.peek();
            if (first != '"' && first != '{' && first != '[') {
                // Where a number ends shows only by what follows.
                return values.read(in, depth);
            }
            Entry expected = in.recall.guess(seen, in.bytes, in.at, in.end);
            if (expected != null) {
                in.at += expected.length();
                return expected.value;
            }
            return seen.isOpen() ? lookUp(in, depth, first) : values.read(in, depth);
        }

        private Object lookUp(JsonBytes in, int depth, int first) {
            int from = in.at;
            in.skip();
            int to = in.at;
            if (to - from > SharedValues.LARGEST_VALUE) {
                in.at = from;
                return values.read(in, depth);
            }
            int hash = JsonBytes.hash(in.bytes, from, to);
            Entry known = seen.get(in.bytes, from, to, hash);
            if (known != null) {
                in.recall.found(known, first == '"');
                return known.value;
            }
            in.at = from;
            Object value = values.read(in, depth);
            if (in.at == to) {
                seen.put(in.bytes, from, to, hash, value);
            }
            return value;
        }
    }

    static final class Text extends ModelValues {
        @Override
        Object read(JsonBytes in, int depth) {
            return in.string();
        }
    }

    static final class Time extends ModelValues {
        @Override
        Object read(JsonBytes in, int depth) {
            return in.time();
        }
    }

    /** What the API writes as a string, or, where it is an integer or a string, as either. */
    static final class Scalar extends ModelValues {
        private final Type type;

        Scalar(Type type) {
            this.type = type;
        }

        @Override
        Object read(JsonBytes in, int depth) {
            if (type == IntOrString.class) {
                return in.peek() == '"' ? new IntOrString(in.string()) : new IntOrString(Whole.narrow(in.integer()));
            }
            try {
                return BoundedQuantity.parse(in.string());
            } catch (RuntimeException e) {
                // The full parser will say why.
                throw JsonBytes.Irregular.INSTANCE;
            }
        }
    }

    /** What nobody wants, in lists of objects: large parts of it may have been seen before as well. */
    static final class Ignored extends ModelValues {
        private final ModelValues parts = new Shared(new Skipped());

        @Override
        Object read(JsonBytes in, int depth) {
            if (in.peek() != '[') {
                in.skip();
                return Boolean.TRUE;
            }
            in.at++;
            if (in.peek() == ']') {
                in.at++;
                return Boolean.TRUE;
            }
            do {
                if (in.peek() == '{') {
                    readParts(in, depth);
                } else {
                    in.skip();
                }
            } while (!in.endOrComma(']'));
            return Boolean.TRUE;
        }

        private void readParts(JsonBytes in, int depth) {
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

    private static final class Skipped extends ModelValues {
        @Override
        Object read(JsonBytes in, int depth) {
            in.skip();
            return Boolean.TRUE;
        }
    }

    static final class Truth extends ModelValues {
        @Override
        Object read(JsonBytes in, int depth) {
            if (in.peek() == 't') {
                in.literal("true");
                return Boolean.TRUE;
            }
            in.literal("false");
            return Boolean.FALSE;
        }
    }

    static final class Whole extends ModelValues {
        private final boolean isInt;

        Whole(boolean isInt) {
            this.isInt = isInt;
        }

        @Override
        Object read(JsonBytes in, int depth) {
            long value = in.integer();
            if (!isInt) {
                return value;
            }
            return narrow(value);
        }

        static int narrow(long value) {
            if (value != (int) value) {
                throw JsonBytes.Irregular.INSTANCE;
            }
            return (int) value;
        }
    }

    static final class Model extends ModelValues {
        private final Class<?> model;

        Model(Class<?> model) {
            this.model = model;
        }

        @Override
        Object read(JsonBytes in, int depth) {
            if (depth > DEEPEST) {
                throw JsonBytes.Irregular.INSTANCE;
            }
            return ModelShape.of(model).read(in, depth + 1);
        }
    }

    static final class ListOf extends ModelValues {
        private final ModelValues elements;

        ListOf(ModelValues elements) {
            this.elements = elements;
        }

        @Override
        Object read(JsonBytes in, int depth) {
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

    static final class MapOf extends ModelValues {
        private final ModelValues values;
        private final ModelValues names = new Shared(new Text());

        MapOf(ModelValues values) {
            this.values = values;
        }

        @Override
        Object read(JsonBytes in, int depth) {
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
            return frozen(pairs, size);
        }

        private static Object frozen(Object[] pairs, int size) {
            if (size <= 2 * FrozenMap.MOST_ENTRIES && isDistinct(pairs, size)) {
                return new FrozenMap(Arrays.copyOf(pairs, size));
            }
            Map<Object, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < size; i += 2) {
                map.put(pairs[i], pairs[i + 1]);
            }
            return Collections.unmodifiableMap(map);
        }

        private static boolean isDistinct(Object[] pairs, int size) {
            for (int i = 2; i < size; i += 2) {
                for (int j = 0; j < i; j += 2) {
                    if (pairs[i].equals(pairs[j])) {
                        return false;
                    }
                }
            }
            return true;
        }
    }

    /** What the full parser reads. */
    static final class Delegated extends ModelValues {
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
        Object read(JsonBytes in, int depth) {
            in.peek();
            int from = in.at;
            in.skip();
            try {
                Object value = reader().readValue(in.bytes, from, in.at - from);
                if (value == null) {
                    throw JsonBytes.Irregular.INSTANCE;
                }
                return value;
            } catch (RuntimeException e) {
                // The full parser will say why, with the field's path.
                throw JsonBytes.Irregular.INSTANCE;
            }
        }
    }

    static boolean isNull(JsonBytes in) {
        if (in.peek() != 'n') {
            return false;
        }
        in.literal(NULL);
        return true;
    }
}
