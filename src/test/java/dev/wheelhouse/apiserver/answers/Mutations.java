package dev.wheelhouse.apiserver.answers;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/** Changes one thing of an object: drops, adds, retypes, repeats or blanks a field, as its schema suggests. */
final class Mutations {
    private static final List<String> TEXTS = List.of("", "x", "X_y", "a b", "-", "a.b/c", "1", "é", "x".repeat(300),
            "example.com/a", "a,b", "10.0.0.1", "a\nb");
    private static final List<String> NUMBERS = List.of("-1", "0", "1", "2", "65536", "2147483648", "1.5", "1e3",
            "99999999999999999999");
    private static final List<String> QUANTITIES = List.of("\"1\"", "\"-1\"", "\"1.5\"", "\"abc\"", "\"1Gi\"", "\"\"",
            "1",
            "\"1e3\"", "\"100m\"", "1.5");
    private static final List<String> INT_OR_STRING = List.of("1", "-1", "\"50%\"", "\"150%\"", "\"x\"", "\"\"", "0",
            "70000");
    private static final List<String> TIMES = List.of("\"2026-01-01T00:00:00Z\"", "\"x\"", "\"\"",
            "\"2026-01-01T00:00:00.123456Z\"", "\"2026-01-01\"", "1", "\"2026-13-01T00:00:00Z\"",
            "\"2026-01-01T00:00:00.123456789+01:00\"");
    private static final List<String> ANYTHING = List.of("1", "\"x\"", "true", "null", "{}", "[]", "{\"a\": 1}", "[1]",
            "[\"x\"]", "[{}]", "[null]", "{\"a\": null}", "-1", "\"\"");

    private final RandomGenerator random;

    Mutations(RandomGenerator random) {
        this.random = random;
    }

    private record Place(ObjectNode parent, String name, @Nullable Field field, @Nullable TypeSchema owner) {}

    <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    /** A copy with one change. */
    ObjectNode mutate(ObjectNode seed, @Nullable TypeSchema schema) {
        ObjectNode copy = seed.deepCopy();
        List<Place> places = new ArrayList<>();
        List<ArrayNode> arrays = new ArrayList<>();
        boolean metadata = random.nextInt(8) == 0;
        for (Map.Entry<String, JsonNode> property : copy.properties()) {
            if (property.getKey().equals("metadata") != metadata) {
                continue;
            }
            Field field = schema == null ? null : schema.field(property.getKey());
            if (!List.of("kind", "apiVersion").contains(property.getKey())) {
                places.add(new Place(copy, property.getKey(), field, schema));
            }
            collect(property.getValue(), field == null ? null : field.type(), field, places, arrays);
        }
        if (places.isEmpty()) {
            return copy;
        }
        if (!arrays.isEmpty() && random.nextInt(8) == 0) {
            ArrayNode array = pick(arrays);
            switch (random.nextInt(4)) {
                case 0 -> array.add(array.isEmpty() ? Json.object() : array.get(0).deepCopy());
                case 1 -> array.removeAll();
                case 2 -> array.addNull();
                default -> array.add(Json.read(pick(ANYTHING)));
            }
            return copy;
        }
        Place place = pick(places);
        TypeSchema owner = place.owner;
        if (owner != null && owner.isObject() && !owner.fields().isEmpty() && random.nextInt(2) == 0) {
            List<Field> absent = owner.fields().values().stream().filter(f -> !place.parent.has(f.name())
                    && !List.of("kind", "apiVersion").contains(f.name())).toList();
            if (!absent.isEmpty()) {
                Field field = pick(absent);
                place.parent.set(field.name(), value(field, 0));
                return copy;
            }
        }
        switch (random.nextInt(6)) {
            case 0 -> place.parent.remove(place.name);
            case 1 -> place.parent.set(place.name, Json.read(pick(ANYTHING)));
            case 2 -> {
                if (random.nextBoolean()) {
                    place.parent.put("unknown" + (char) ('A' + random.nextInt(3)), "x");
                } else {
                    place.parent.putNull(place.name);
                }
            }
            default -> {
                if (place.field != null) {
                    place.parent.set(place.name, value(place.field, 0));
                } else if (place.parent.path(place.name).isNumber()) {
                    place.parent.set(place.name, Json.read(pick(NUMBERS)));
                } else {
                    place.parent.set(place.name, StringNode.valueOf(pick(TEXTS)));
                }
            }
        }
        return copy;
    }

    /** A copy with another property of the OpenAPI schema; without one, as if there were no schema. */
    ObjectNode add(ObjectNode seed, JsonNode schema) {
        ObjectNode copy = seed.deepCopy();
        List<Runnable> additions = new ArrayList<>();
        additions(copy, schema, additions);
        if (additions.isEmpty()) {
            return mutate(seed, null);
        }
        pick(additions).run();
        return copy;
    }

    private void additions(JsonNode node, JsonNode schema, List<Runnable> additions) {
        if (node instanceof ArrayNode array) {
            array.forEach(element -> additions(element, schema.path("items"), additions));
        } else if (node instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
                JsonNode present = object.get(property.getKey());
                if (present != null) {
                    additions(present, property.getValue(), additions);
                }
                if (present == null || !present.isContainer()) {
                    additions.add(() -> object.set(property.getKey(), value(property.getValue(), 0)));
                }
            }
            object.forEach(value -> additions(value, schema.path("additionalProperties"), additions));
        }
    }

    /** A value of the type of the schema, seldom beyond what it allows. */
    private JsonNode value(JsonNode schema, int depth) {
        if (random.nextInt(12) == 0) {
            return Json.read(pick(ANYTHING));
        }
        List<JsonNode> choices = schema.path("enum").valueStream().toList();
        if (!choices.isEmpty() && random.nextInt(4) > 0) {
            return pick(choices);
        }
        if (schema.path("x-kubernetes-int-or-string").asBoolean(false)) {
            return Json.read(pick(INT_OR_STRING));
        }
        return switch (schema.path("type").asString("")) {
            case "string" -> schema.path("format").asString("").equals("date-time")
                    ? Json.read(pick(TIMES))
                    : StringNode.valueOf(pick(TEXTS));
            case "integer", "number" -> {
                JsonNode bound = schema.path(random.nextBoolean() ? "minimum" : "maximum");
                yield bound.isNumber() && random.nextBoolean()
                        ? Json.read(bound.decimalValue().add(BigDecimal.valueOf(random.nextInt(3) - 1)).toString())
                        : Json.read(pick(NUMBERS));
            }
            case "boolean" -> Json.read(random.nextInt(6) == 0 ? "\"x\"" : "true");
            case "array" -> {
                ArrayNode array = Json.array();
                for (int i = random.nextInt(3); i > 0; i--) {
                    array.add(value(schema.path("items"), depth + 1));
                }
                yield array;
            }
            default -> {
                ObjectNode object = Json.object();
                for (JsonNode name : schema.path("required")) {
                    object.set(name.asString(""),
                            value(schema.path("properties").path(name.asString("")), depth + 1));
                }
                for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
                    if (depth < 4 && random.nextInt(3) == 0) {
                        object.set(property.getKey(), value(property.getValue(), depth + 1));
                    }
                }
                if (schema.has("additionalProperties")) {
                    object.set(pick(List.of("k", "a/b", "x".repeat(70))),
                            value(schema.path("additionalProperties"), depth + 1));
                }
                yield object;
            }
        };
    }

    private void collect(JsonNode node, @Nullable TypeSchema type, @Nullable Field field, List<Place> places,
            List<ArrayNode> arrays) {
        if (node instanceof ArrayNode array) {
            arrays.add(array);
            array.forEach(element -> collect(element, type, null, places, arrays));
        } else if (node instanceof ObjectNode object) {
            boolean map = field != null && field.shape() != Shape.SINGLE && field.shape() != Shape.LIST;
            for (Map.Entry<String, JsonNode> property : object.properties()) {
                Field child = map || type == null ? null : type.field(property.getKey());
                places.add(new Place(object, property.getKey(), child, map ? null : type));
                collect(property.getValue(), map ? type : child == null ? null : child.type(), child, places, arrays);
            }
        }
    }

    private JsonNode value(Field field, int depth) {
        return switch (field.shape()) {
            case SINGLE -> single(field, depth);
            case LIST -> {
                ArrayNode array = Json.array();
                for (int i = random.nextInt(8) == 0 ? 2 : 1; i > 0; i--) {
                    array.add(single(field, depth));
                }
                yield array;
            }
            case MAP -> {
                ObjectNode map = Json.object();
                map.set(pick(List.of("k", "cpu", "a/b/c", "-", "example.com/k")), single(field, depth));
                yield map;
            }
            case MAP_OF_LISTS -> {
                ObjectNode map = Json.object();
                map.putArray("k").add(single(field, depth));
                yield map;
            }
        };
    }

    private JsonNode single(Field field, int depth) {
        TypeSchema type = field.type();
        if (!field.enumValues().isEmpty() && random.nextInt(3) > 0) {
            return StringNode.valueOf(pick(field.enumValues().stream().sorted().toList()));
        }
        String scalar = type.scalar();
        if (scalar != null) {
            return Json.read(switch (scalar) {
                case "string" -> StringNode.valueOf(pick(TEXTS)).toString();
                case "integer", "number" -> pick(NUMBERS);
                case "boolean" -> random.nextInt(6) == 0 ? "\"x\"" : random.nextBoolean() ? "true" : "false";
                case "quantity" -> pick(QUANTITIES);
                case "int-or-string" -> pick(INT_OR_STRING);
                case "time", "micro-time" -> pick(TIMES);
                default -> pick(ANYTHING);
            });
        }
        ObjectNode object = Json.object();
        List<Field> fields = List.copyOf(type.fields().values());
        if (depth < 3 && !fields.isEmpty()) {
            for (Field inner : fields) {
                if (inner.required() || random.nextInt(fields.size()) == 0) {
                    object.set(inner.name(), value(inner, depth + 1));
                }
            }
        }
        return object;
    }
}
