package dev.wheelhouse.client;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;

import tools.jackson.databind.ObjectReader;

/** How the values of one field are read, made from the field's type. */
abstract sealed class ModelValues {
    private static final int DEEPEST = 100;
    private static final String NULL = "null";

    /** Reads what the cursor stands at, which is not null. */
    abstract Object read(JsonBytes in, int depth);

    /** What a field has that the JSON does not mention; null unless it is a collection. */
    @org.jspecify.annotations.Nullable
    Object absent() {
        return null;
    }

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
        if (type == OffsetDateTime.class || type == Quantity.class || type == IntOrString.class) {
            return new Shared(new Delegated(type));
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
            if (!seen.isOpen()) {
                return values.read(in, depth);
            }
            in.peek();
            int from = in.at;
            in.skip();
            int to = in.at;
            int hash = JsonBytes.hash(in.bytes, from, to);
            Object known = seen.get(in.bytes, from, to, hash);
            if (known != null) {
                return known;
            }
            in.at = from;
            Object value = values.read(in, depth);
            seen.put(in.bytes, from, to, hash, value);
            return value;
        }

        @Override
        @org.jspecify.annotations.Nullable
        Object absent() {
            return values.absent();
        }
    }

    static final class Text extends ModelValues {
        @Override
        Object read(JsonBytes in, int depth) {
            return in.string();
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
        Object absent() {
            return FrozenList.EMPTY;
        }

        @Override
        Object read(JsonBytes in, int depth) {
            in.expect('[');
            if (in.peek() == ']') {
                in.at++;
                return FrozenList.EMPTY;
            }
            List<Object> read = new ArrayList<>();
            do {
                read.add(notNull(elements, in, depth));
            } while (!in.endOrComma(']'));
            return new FrozenList(read.toArray());
        }
    }

    static final class MapOf extends ModelValues {
        private final ModelValues values;
        private final ModelValues names = new Shared(new Text());

        MapOf(ModelValues values) {
            this.values = values;
        }

        @Override
        Object absent() {
            return FrozenMap.EMPTY;
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
        private final ObjectReader reader;

        Delegated(Type type) {
            var mapper = ModelJson.mapperForModels();
            this.reader = mapper.readerFor(mapper.constructType(type));
        }

        @Override
        Object read(JsonBytes in, int depth) {
            in.peek();
            int from = in.at;
            in.skip();
            try {
                Object value = reader.readValue(in.bytes, from, in.at - from);
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
