package dev.wheelhouse.controllers.history;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/** JSON as Go programs write it, byte for byte. */
final class GoJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private GoJson() {}

    /**
     * An object that Go has read into the struct of its type, written, and read into a map: the names are sorted,
     * unknown fields and omitted zero values are gone, and the fields that Go always writes are there.
     */
    static ObjectNode throughStruct(JsonNode object, TypeSchema type) {
        ObjectNode struct = NODES.objectNode();
        for (Map.Entry<String, Field> entry : new TreeMap<>(type.fields()).entrySet()) {
            String name = entry.getKey();
            Field field = entry.getValue();
            JsonNode value = object.path(name);
            if (value.isMissingNode() || value.isNull()) {
                if (field.always()) {
                    struct.set(name, zero(field));
                }
            } else if (field.always() || field.pointer() || !isOmitted(value, field)) {
                struct.set(name, value(value, field));
            }
        }
        return struct;
    }

    private static boolean isOmitted(JsonNode value, Field field) {
        return switch (value.getNodeType()) {
            case STRING -> value.stringValue().isEmpty();
            case BOOLEAN -> !value.booleanValue();
            case NUMBER -> value.decimalValue().signum() == 0;
            default -> field.shape() != Shape.SINGLE && value.isEmpty();
        };
    }

    private static JsonNode zero(Field field) {
        if (field.shape() != Shape.SINGLE || field.pointer()) {
            return NODES.nullNode();
        }
        return switch (field.type().scalar()) {
            case null -> throughStruct(NODES.missingNode(), field.type());
            case "string" -> NODES.stringNode("");
            case "quantity" -> NODES.stringNode("0");
            case "integer", "number", "int-or-string" -> NODES.numberNode(0);
            case "boolean" -> NODES.booleanNode(false);
            default -> NODES.nullNode();
        };
    }

    private static JsonNode value(JsonNode value, Field field) {
        TypeSchema type = field.type();
        if (field.shape() == Shape.SINGLE || field.shape() == Shape.LIST) {
            return element(value, type);
        }
        Map<String, JsonNode> sorted = new TreeMap<>();
        value.properties().forEach(entry -> sorted.put(entry.getKey(), element(entry.getValue(), type)));
        return NODES.objectNode().setAll(sorted);
    }

    private static JsonNode element(JsonNode value, TypeSchema type) {
        if (value.isArray()) {
            ArrayNode list = NODES.arrayNode(value.size());
            value.forEach(each -> list.add(element(each, type)));
            return list;
        }
        return type.isObject() && value.isObject() ? throughStruct(value, type) : value;
    }

    /** The text of a value. The fields of objects keep their order. */
    static String write(@Nullable JsonNode value) {
        StringBuilder out = new StringBuilder(512);
        write(value == null ? NODES.nullNode() : value, out);
        return out.toString();
    }

    private static void write(JsonNode value, StringBuilder out) {
        switch (value.getNodeType()) {
            case OBJECT -> {
                char separator = '{';
                for (Map.Entry<String, JsonNode> entry : value.properties()) {
                    text(entry.getKey(), out.append(separator));
                    write(entry.getValue(), out.append(':'));
                    separator = ',';
                }
                out.append(value.isEmpty() ? "{}" : "}");
            }
            case ARRAY -> {
                char separator = '[';
                for (JsonNode each : value) {
                    write(each, out.append(separator));
                    separator = ',';
                }
                out.append(value.isEmpty() ? "[]" : "]");
            }
            case STRING -> text(value.stringValue(), out);
            default -> out.append(value);
        }
    }

    /** A text with the characters escaped that {@code encoding/json} escapes, which include those of HTML. */
    private static void text(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '<', '>', '&', '\u2028', '\u2029' -> out.append(String.format("\\u%04x", (int) c));
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
