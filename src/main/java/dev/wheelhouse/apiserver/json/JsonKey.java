package dev.wheelhouse.apiserver.json;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Turns JSON values into keys for maps and sets. */
public final class JsonKey {
    private JsonKey() {}

    /**
     * A text that is equal for two values if and only if they are the same JSON: the order of an object's fields and
     * the notation of a number do not matter. Use it in place of the nodes themselves. Strings are comparable, so a
     * hash map stays fast even if a client sends values that all have the same hash; with nodes as keys it would
     * degrade.
     */
    public static String of(JsonNode value) {
        if (value.isString()) {
            return "s" + value.stringValue();
        }
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(JsonNode value, StringBuilder out) {
        if (value instanceof ObjectNode object) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            object.properties().forEach(p -> sorted.put(p.getKey(), p.getValue()));
            out.append('{');
            sorted.forEach((name, field) -> {
                out.append(name.length()).append(':').append(name);
                write(field, out);
            });
            out.append('}');
        } else if (value instanceof ArrayNode array) {
            out.append('[');
            array.forEach(element -> write(element, out));
            out.append(']');
        } else if (value.isString()) {
            out.append('s').append(value.stringValue().length()).append(':').append(value.stringValue());
        } else if (value.isIntegralNumber() && value.canConvertToLong()) {
            out.append('n').append(value.longValue()).append(';');
        } else if (value.isNumber()) {
            BigDecimal number = value.decimalValue().stripTrailingZeros();
            // A whole number can be written with a fraction or an exponent; it gets the same text as its plain form.
            boolean small = number.scale() <= 0 && number.precision() - number.scale() <= 18;
            out.append('n').append(small ? number.toPlainString() : number.toString()).append(';');
        } else {
            out.append(value).append(';');
        }
    }
}
