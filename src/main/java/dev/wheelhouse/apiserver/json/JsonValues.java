package dev.wheelhouse.apiserver.json;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Compares JSON values, and prints them as Go does. */
public final class JsonValues {
    private JsonValues() {}

    /** Whether two values are the same JSON. Numbers are compared by value; the order of keys does not matter. */
    public static boolean same(@Nullable JsonNode a, @Nullable JsonNode b) {
        return a == b || a != null && b != null && a.equals(JsonValues::compare, b);
    }

    private static int compare(JsonNode a, JsonNode b) {
        if (!a.isNumber() || !b.isNumber()) {
            return a.equals(b) ? 0 : 1;
        }
        return a.isIntegralNumber() && b.isIntegralNumber() && a.canConvertToLong() && b.canConvertToLong()
                ? Long.compare(a.longValue(), b.longValue())
                : a.decimalValue().compareTo(b.decimalValue());
    }

    /** The value as Go's {@code %v} prints it: {@code map[image:a name:b]}. */
    public static String goText(JsonNode value) {
        StringBuilder out = new StringBuilder();
        goText(value, out);
        return out.toString();
    }

    private static void goText(JsonNode value, StringBuilder out) {
        if (value instanceof ObjectNode object) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            object.properties().forEach(p -> sorted.put(p.getKey(), p.getValue()));
            out.append("map[");
            String separator = "";
            for (Map.Entry<String, JsonNode> field : sorted.entrySet()) {
                out.append(separator).append(field.getKey()).append(':');
                goText(field.getValue(), out);
                separator = " ";
            }
            out.append(']');
        } else if (value instanceof ArrayNode array) {
            out.append('[');
            for (int i = 0; i < array.size(); i++) {
                out.append(i == 0 ? "" : " ");
                goText(array.get(i), out);
            }
            out.append(']');
        } else if (value.isNull()) {
            out.append("<nil>");
        } else {
            out.append(value.isString() ? value.stringValue() : value.toString());
        }
    }

    /** The Go type in which upstream holds a value. */
    public static String goType(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "map[string]interface {}";
            case ARRAY -> "[]interface {}";
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> value.isIntegralNumber() && value.canConvertToLong() ? "int64" : "float64";
            default -> "<nil>";
        };
    }
}
