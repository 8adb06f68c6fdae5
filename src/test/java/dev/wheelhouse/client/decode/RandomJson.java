package dev.wheelhouse.client.decode;

import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/** Random objects as an API server writes them: without the fields that Go leaves out because they are zero. */
final class RandomJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> TEXTS = List.of("", "a", "web-1", "ü€😀", "quote\" back\\slash \n \u0001", "日本",
            "0123456789abcdefghijklmnopqrstuvwxyz", "true", "null", "1");
    private static final int DEEPEST = 9;

    private final Random random;

    RandomJson(long seed) {
        this.random = new Random(seed);
    }

    /** An object with a name, without kind and version. */
    ObjectNode object(TypeSchema type) {
        ObjectNode object = object(type, 0);
        ObjectNode metadata = object.get("metadata") instanceof ObjectNode given ? given : object.putObject("metadata");
        metadata.put("name", "object-" + random.nextInt(100));
        return object;
    }

    private ObjectNode object(TypeSchema type, int depth) {
        ObjectNode object = NODES.objectNode();
        for (Field field : type.fields().values()) {
            if (!field.numbers().isEmpty() && !field.name().equals("managedFields")) {
                JsonNode value = field(field, depth);
                if (value != null) {
                    object.set(field.name(), value);
                }
            }
        }
        return object;
    }

    private @Nullable JsonNode field(Field field, int depth) {
        boolean present = field.always() || random.nextInt(4) > 0;
        if (!present || depth > DEEPEST && !field.always()) {
            return null;
        }
        if (field.shape() == Shape.SINGLE) {
            JsonNode value = value(field, depth);
            return field.pointer() || field.always() || !isZero(value) ? value : null;
        }
        int size = depth > 4 ? 0 : random.nextInt(3);
        if (size == 0) {
            return null;
        }
        if (field.shape() == Shape.LIST) {
            return list(size, () -> value(field, depth));
        }
        ObjectNode map = NODES.objectNode();
        for (int i = 0; i < size * 7; i++) {
            map.set(TEXTS.get(random.nextInt(TEXTS.size())) + i,
                    field.shape() == Shape.MAP ? value(field, depth) : list(2, () -> value(field, depth)));
        }
        return map;
    }

    private static JsonNode list(int size, Supplier<JsonNode> element) {
        var list = NODES.arrayNode();
        for (int i = 0; i < size; i++) {
            list.add(element.get());
        }
        return list;
    }

    private static boolean isZero(JsonNode value) {
        return value.isString()
                ? value.stringValue().isEmpty()
                : value.isNumber() ? value.doubleValue() == 0 : value.isBoolean() && !value.booleanValue();
    }

    private JsonNode value(Field field, int depth) {
        TypeSchema type = field.type();
        String scalar = type.scalar();
        if (scalar == null) {
            return object(type, depth + 1);
        }
        return switch (scalar) {
            case "string" -> NODES.stringNode(field.format().equals("byte")
                    ? Base64.getEncoder().encodeToString(new byte[]{1, (byte) random.nextInt()})
                    : TEXTS.get(random.nextInt(TEXTS.size())));
            case "integer" -> field.format().equals("int64")
                    ? NODES.numberNode(random.nextLong() >> random.nextInt(64))
                    : NODES.numberNode(random.nextInt() >> random.nextInt(32));
            case "number" -> NODES.numberNode(random.nextInt(1000) / 8.0 + 0.0625);
            case "boolean" -> NODES.booleanNode(random.nextBoolean());
            case "quantity" -> NODES.stringNode((1 + random.nextInt(100)) + "Mi");
            case "int-or-string" -> random.nextBoolean()
                    ? NODES.numberNode(random.nextInt(100))
                    : NODES.stringNode("25%");
            case "time" -> NODES.stringNode("2026-11-21T08:0" + random.nextInt(10) + ":00Z");
            case "micro-time" -> NODES.stringNode("2026-11-21T08:00:00.00000" + random.nextInt(10) + "Z");
            case "raw-object" -> NODES.objectNode().put("any", "thing").set("list", NODES.arrayNode().add(1).add(true));
            default -> any(type);
        };
    }

    /** Any JSON, or what a schema may have in the place of another schema. */
    private JsonNode any(TypeSchema type) {
        ObjectNode schema = NODES.objectNode().put("maxLength", random.nextInt(5)).put("type", "string");
        String name = type.name().substring(type.name().lastIndexOf('.') + 1);
        boolean isSchema = random.nextBoolean();
        return switch (name) {
            case "JSONSchemaPropsOrBool" -> isSchema ? schema : NODES.booleanNode(random.nextBoolean());
            case "JSONSchemaPropsOrArray" -> isSchema ? schema : NODES.arrayNode().add(schema).add(schema);
            case "JSONSchemaPropsOrStringArray" -> isSchema ? schema : NODES.arrayNode().add("a").add("b");
            default -> isSchema ? NODES.stringNode("any") : schema;
        };
    }
}
