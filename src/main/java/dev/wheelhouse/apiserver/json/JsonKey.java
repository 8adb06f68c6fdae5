package dev.wheelhouse.apiserver.json;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Values as keys of maps and elements of sets. */
public final class JsonKey {
    private JsonKey() {}

    /**
     * A text for a value, equal for two values if and only if they are the same JSON: the order of fields and the way in which a number is written
     * do not matter. Maps keyed by it stay fast whatever a client sends, since texts have an order: values with equal hashes make a map that is
     * keyed by nodes slow.
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
            // A whole number may be written with a fraction, too.
            boolean small = number.scale() <= 0 && number.precision() - number.scale() <= 18;
            out.append('n').append(small ? number.toPlainString() : number.toString()).append(';');
        } else {
            out.append(value).append(';');
        }
    }
}
