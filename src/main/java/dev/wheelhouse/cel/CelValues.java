package dev.wheelhouse.cel;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.TextFormats;

import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;

/**
 * Converts JSON to CEL values by a schema (upstream: {@code apiserver/pkg/cel/common/values.go}). The schema decides
 * whether a number is an int or a double, and whether a text is a timestamp or bytes. Field names that are not
 * identifiers are escaped.
 */
public final class CelValues {
    private static final Set<String> KEYWORDS = Set.of("true", "false", "null", "in", "as", "break", "const",
            "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return",
            "var", "void", "while");

    private CelValues() {}

    /** @param root whether the value is a whole resource; expressions see only the names in its metadata */
    public static Object of(JsonNode value, JsonNode schema, boolean root) {
        if (value instanceof ObjectNode object) {
            return map(object, schema, root || schema.path("x-kubernetes-embedded-resource").asBoolean(false));
        }
        if (value instanceof ArrayNode array) {
            List<Object> list = new ArrayList<>(array.size());
            array.forEach(element -> list.add(of(element, schema.path("items"), false)));
            return list;
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value.isNumber()) {
            boolean integer = value.isIntegralNumber() && value.canConvertToLong()
                    && !Json.text(schema, "type").equals("number");
            return integer ? (Object) value.longValue() : (Object) value.doubleValue();
        }
        return value.isString() ? text(value.stringValue(), Json.text(schema, "format")) : NullValue.NULL_VALUE;
    }

    private static Map<String, Object> map(ObjectNode object, JsonNode schema, boolean resource) {
        Map<String, Object> map = new LinkedHashMap<>();
        JsonNode properties = schema.path("properties");
        object.properties().forEach(field -> {
            String name = field.getKey();
            if (resource && name.equals("metadata")) {
                map.put(name, names(field.getValue()));
            } else if (properties.has(name)) {
                Object value = of(field.getValue(), properties.path(name), false);
                map.put(escaped(name), value);
                if (KEYWORDS.contains(name)) {
                    map.put(name, value); // A keyword may stand after a dot.
                }
            } else {
                map.put(name, of(field.getValue(), schema.path("additionalProperties"), false));
            }
        });
        return map;
    }

    private static Map<String, Object> names(JsonNode metadata) {
        Map<String, Object> names = new LinkedHashMap<>();
        for (String name : List.of("name", "generateName")) {
            if (metadata.has(name)) {
                names.put(name, Json.text(metadata, name));
            }
        }
        return names;
    }

    private static Object text(String text, String format) {
        try {
            return switch (format) {
                case "duration" -> {
                    Duration duration = TextFormats.duration(text);
                    yield duration == null ? text : duration;
                }
                case "byte" -> CelByteString.of(Base64.getDecoder().decode(text));
                case "date-time" -> OffsetDateTime.parse(text).toInstant();
                case "date" -> Instant.from(LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC));
                default -> text;
            };
        } catch (DateTimeException | IllegalArgumentException e) {
            return text; // A text of the wrong format is reported by the format's own check.
        }
    }

    /** A field's name as an identifier (upstream: {@code Escape} in {@code apiserver/pkg/cel/escaping.go}). */
    static String escaped(String name) {
        if (KEYWORDS.contains(name)) {
            return "__" + name + "__";
        }
        return name.replace("__", "__underscores__").replace(".", "__dot__").replace("-", "__dash__").replace("/",
                "__slash__");
    }
}
