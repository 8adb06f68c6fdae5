package dev.wheelhouse.facts;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.TypeSchema.Field;

/**
 * A normal form of objects: the API machinery takes two objects for equal if and only if their forms are equal
 * (upstream: {@code apimachinery/pkg/api/equality}). Quantities are compared by value and times as instants. An empty
 * list or map equals an absent one. A zero value equals an absent field, unless the field is a pointer in Go: a pointer
 * to a zero value has a meaning, such as {@code emptyDir: {}}.
 */
public final class SemanticForm {
    private SemanticForm() {}

    /** The form of an object of a type. Of a type that is not built in, only numbers have a normal form. */
    public static Object of(JsonNode object, ResourceType type) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        return schema == null ? plain(object) : of(object, schema);
    }

    /**
     * The form of an object: sorted maps, lists, texts, booleans and decimals without trailing zeros.
     *
     * @param type the object's type, not a scalar
     */
    public static Map<String, Object> of(JsonNode object, TypeSchema type) {
        Map<String, Object> form = new TreeMap<>();
        for (Map.Entry<String, JsonNode> property : object.properties()) {
            if (property.getValue().isNull()) {
                continue;
            }
            Field field = type.field(property.getKey());
            Object value = field == null ? plain(property.getValue()) : field(property.getValue(), field);
            if (value != null) {
                form.put(property.getKey(), value);
            }
        }
        return form;
    }

    /** Null where the value equals an absent field. */
    private static @Nullable Object field(JsonNode value, Field field) {
        TypeSchema type = field.type();
        return switch (field.shape()) {
            case SINGLE -> {
                Object single = element(value, type);
                yield !field.pointer() && isZero(single, type) ? null : single;
            }
            case LIST -> value.isEmpty() ? null : list(value, type);
            case MAP, MAP_OF_LISTS -> {
                Map<String, Object> map = new TreeMap<>();
                value.properties().forEach(e -> map.put(e.getKey(),
                        e.getValue().isArray() ? list(e.getValue(), type) : element(e.getValue(), type)));
                yield map.isEmpty() ? null : map;
            }
        };
    }

    private static List<Object> list(JsonNode array, TypeSchema type) {
        List<Object> list = new ArrayList<>(array.size());
        array.forEach(value -> list.add(element(value, type)));
        return list;
    }

    private static Object element(JsonNode value, TypeSchema type) {
        return switch (type.scalar()) {
            case null -> of(value, type);
            case "quantity" -> {
                BigDecimal quantity = Quantities.parse(value.asString(""));
                yield quantity == null ? plain(value) : quantity.stripTrailingZeros().toPlainString();
            }
            case "time", "micro-time" -> instant(value);
            default -> plain(value);
        };
    }

    private static Object instant(JsonNode value) {
        try {
            return OffsetDateTime.parse(value.asString("")).toInstant().toString();
        } catch (DateTimeParseException e) {
            return plain(value);
        }
    }

    private static boolean isZero(Object value, TypeSchema type) {
        return switch (value) {
            case Map<?, ?> map -> map.isEmpty() && type.isObject();
            case String text -> "quantity".equals(type.scalar())
                    ? text.equals("0")
                    : text.isEmpty() && !"int-or-string".equals(type.scalar());
            case Boolean flag -> !flag;
            case BigDecimal number -> number.signum() == 0;
            default -> false;
        };
    }

    /** A value in which nothing equals an absent one: a scalar, or JSON of which no type is known. */
    private static Object plain(JsonNode value) {
        if (value.isArray()) {
            List<Object> list = new ArrayList<>();
            value.forEach(element -> list.add(plain(element)));
            return list;
        }
        if (value.isObject()) {
            Map<String, Object> map = new TreeMap<>();
            value.properties().forEach(e -> map.put(e.getKey(), plain(e.getValue())));
            return map;
        }
        return value.isNumber()
                ? value.decimalValue().stripTrailingZeros()
                : value.isBoolean() ? (Object) value.booleanValue() : value.asString("");
    }
}
