package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.LongNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.schema.FieldValidation.WrongTypeException;
import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/** Decodes one object for {@link FieldValidation}. For one thread. */
final class Decoding {
    private static final int MOST_OF_BYTE = 255;
    /** Go's zero time, which is written as null. */
    private static final String NO_TIME = "0001-01-01T00:00:00";
    private static final String QUANTITY_FORM = "quantities must match the regular expression "
            + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    private final StrictErrors problems = new StrictErrors();
    /** Whether values come from a map of Go, not from JSON. */
    private final boolean converts;
    /** The mark before the key of a map in the path. Messages about types do not show such keys. */
    private static final String KEY = "\0";
    private static final TypeSchema SCHEMA = Objects.requireNonNull(
            Schemas.ofName("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"));
    /** The path of the present value: field names, {@code [0]} for elements, and keys of maps. */
    private final List<String> path = new ArrayList<>();

    Decoding(boolean converts) {
        this.converts = converts;
    }

    List<String> problems() {
        return problems.toList();
    }

    void object(ObjectNode object, TypeSchema type) {
        List<String> drop = new ArrayList<>(0);
        for (Map.Entry<String, JsonNode> property : object.properties()) {
            String name = property.getKey();
            Field field = type.field(name);
            path.add(name);
            if (field == null) {
                problems.add(() -> "unknown field \"" + String.join(".", path).replace(".[", "[").replace(KEY, "")
                        + "\"");
                drop.add(name);
            } else {
                JsonNode value = value(property.getValue(), field, type);
                if (value == null || value.isMissingNode() || isOmitted(field, value)) {
                    drop.add(name);
                } else if (value != property.getValue()) {
                    property.setValue(value);
                }
            }
            path.removeLast();
        }
        object.remove(drop);
    }

    /** Whether a field with this value means the same as a missing field. */
    private static boolean isOmitted(Field field, JsonNode value) {
        if (field.always()) {
            return false;
        }
        if (field.shape() != Shape.SINGLE) {
            // An empty list of managed fields is a request to reset them.
            return value.isEmpty() && !field.name().equals("managedFields");
        }
        if (field.pointer()) {
            return false;
        }
        return switch (field.typeName()) {
            case "string" -> value.stringValue().isEmpty();
            case "boolean" -> !value.booleanValue();
            case "integer", "number" -> value.decimalValue().signum() == 0;
            default -> false;
        };
    }

    private @Nullable JsonNode value(JsonNode value, Field field, TypeSchema owner) {
        if (value.isNull()) {
            return null;
        }
        return switch (field.shape()) {
            case SINGLE -> single(value, field, owner);
            case LIST -> list(value, field, owner);
            case MAP, MAP_OF_LISTS -> {
                if (!(value instanceof ObjectNode map)) {
                    throw wrong(value, field, owner, goType(field));
                }
                for (Map.Entry<String, JsonNode> entry : map.properties()) {
                    path.add(KEY + entry.getKey());
                    JsonNode element = entry.getValue();
                    JsonNode decoded = field.shape() == Shape.MAP_OF_LISTS && !element.isNull()
                            ? list(element, field, owner)
                            : element(element, field, owner);
                    if (decoded != element) {
                        entry.setValue(decoded);
                    }
                    path.removeLast();
                }
                yield map;
            }
        };
    }

    private JsonNode list(JsonNode value, Field field, TypeSchema owner) {
        if (!(value instanceof ArrayNode list)) {
            throw wrong(value, field, owner, "[]" + elementType(field));
        }
        for (int i = 0; i < list.size(); i++) {
            path.add("[" + i + "]");
            JsonNode element = list.get(i);
            JsonNode decoded = element(element, field, owner);
            if (decoded != element) {
                list.set(i, decoded);
            }
            path.removeLast();
        }
        return list;
    }

    private JsonNode element(JsonNode element, Field field, TypeSchema owner) {
        return element.isNull() ? zero(field) : single(element, field, owner);
    }

    private static JsonNode zero(Field field) {
        JsonNode zero = field.zero();
        return zero != null ? zero : switch (String.valueOf(field.type().scalar())) {
            case "raw-object" -> Json.object();
            case "any" -> NullNode.getInstance();
            default -> StringNode.valueOf("");
        };
    }

    private JsonNode single(JsonNode given, Field field, TypeSchema owner) {
        JsonNode value = switch (field.typeName()) {
            case "integer" -> converts ? integer(given, field.format()) : given;
            case "number" -> Json.whole(given);
            default -> field.format().equals("byte") && given.isArray() ? bytes(given) : given;
        };
        boolean fits = switch (field.typeName()) {
            case "string" -> value.isString();
            case "boolean" -> value.isBoolean();
            case "number" -> value.isNumber();
            case "integer" -> value.isIntegralNumber() && inRange(value, field.format());
            default -> {
                TypeSchema type = field.type();
                if (type.scalar() != null) {
                    yield true;
                }
                if (value instanceof ObjectNode object) {
                    object(object, type);
                    yield true;
                }
                yield false;
            }
        };
        if (!fits) {
            throw wrong(value, field, owner, elementType(field));
        }
        if (field.format().equals("byte")) {
            checkBase64(value.stringValue());
            return value;
        }
        return scalar(value, field, owner);
    }

    /** The text of bytes that are a list of numbers, as Go takes it; the same list if it is of something else. */
    private static JsonNode bytes(JsonNode list) {
        byte[] bytes = new byte[list.size()];
        for (int i = 0; i < bytes.length; i++) {
            JsonNode each = list.get(i);
            if (!each.isInt() || each.intValue() < 0 || each.intValue() > MOST_OF_BYTE) {
                return list;
            }
            bytes[i] = (byte) each.intValue();
        }
        return StringNode.valueOf(Base64.getEncoder().encodeToString(bytes));
    }

    /** A number as Go converts it to an integer: whole, and what does not fit is cut off. */
    private static JsonNode integer(JsonNode value, String format) {
        if (!value.isNumber() || value.doubleValue() != Math.rint(value.doubleValue())) {
            return value;
        }
        double wide = value.doubleValue();
        long whole = value.isIntegralNumber() && value.canConvertToLong()
                ? value.longValue()
                : Math.abs(wide) < 0x1p63 ? (long) wide : Long.MIN_VALUE;
        return format.equals("int32") ? IntNode.valueOf((int) whole) : LongNode.valueOf(whole);
    }

    private JsonNode scalar(JsonNode value, Field field, TypeSchema owner) {
        String scalar = switch (field.typeName()) {
            case "string", "boolean", "number", "integer" -> null;
            default -> field.type().scalar();
        };
        if (scalar == null) {
            return value;
        }
        return switch (scalar) {
            case "quantity" -> quantity(value, field.shape() == Shape.MAP);
            case "int-or-string" -> intOrString(value, field, owner);
            case "time", "micro-time" -> time(value, field, owner);
            default -> field.typeName().contains("JSONSchemaPropsOr") ? schemas(value, field, owner) : value;
        };
    }

    /** A schema of a definition where there may be others, or something else. Its unknown fields are not reported. */
    private JsonNode schemas(JsonNode value, Field field, TypeSchema owner) {
        String other = field.typeName().substring(field.typeName().indexOf("Or") + 2);
        if (value instanceof ObjectNode object) {
            Decoding inner = new Decoding(converts);
            inner.path.addAll(path);
            inner.object(object, SCHEMA);
            return value;
        }
        if (other.equals("Bool")) {
            if (!value.isBoolean()) {
                throw new WrongTypeException("boolean or JSON schema expected");
            }
            return value;
        }
        for (JsonNode element : value) {
            if (other.equals("Array") && element.isObject()) {
                schemas(element, field, owner);
            } else if (!element.isNull() && !(other.equals("StringArray") && element.isString())) {
                throw wrong(element, field, owner, other.equals("Array") ? "v1.JSONSchemaProps" : "string");
            }
        }
        return value.isArray() ? value : MissingNode.getInstance();
    }

    private static JsonNode quantity(JsonNode value, boolean inMilli) {
        String text = value.isString()
                ? value.stringValue().strip()
                : value.toString().replace('E', 'e');
        String canonical = Quantities.stored(text, inMilli);
        if (canonical == null) {
            throw new WrongTypeException(Quantities.hasUnknownSuffix(text)
                    ? "unable to parse quantity's suffix"
                    : QUANTITY_FORM);
        }
        return value.isString() && canonical.equals(value.stringValue()) ? value : StringNode.valueOf(canonical);
    }

    private JsonNode intOrString(JsonNode value, Field field, TypeSchema owner) {
        if (!value.isString() && !(value.isIntegralNumber() && inRange(value, "int32"))) {
            throw wrong(value, field, owner, "int32");
        }
        return value;
    }

    private JsonNode time(JsonNode value, Field field, TypeSchema owner) {
        if (!value.isString()) {
            throw wrong(value, field, owner, "string");
        }
        String canonical = GoTime.canonical(value.stringValue(), field.typeName().endsWith("MicroTime"));
        if (canonical.startsWith(NO_TIME)) {
            return NullNode.getInstance();
        }
        return canonical.equals(value.stringValue()) ? value : StringNode.valueOf(canonical);
    }

    private void checkBase64(String text) {
        try {
            String base64 = text.replace("\n", "").replace("\r", "");
            Base64.getDecoder().decode(base64);
            if (base64.length() % 4 != 0) {
                throw notBase64(base64.length() / 4 * 4);
            }
        } catch (IllegalArgumentException e) {
            int at = 0;
            while (at < text.length()
                    && (Character.isLetterOrDigit(text.charAt(at)) || "+/".indexOf(text.charAt(at)) >= 0)) {
                at++;
            }
            throw notBase64(at == text.length() ? at / 4 * 4 : at);
        }
    }

    private WrongTypeException notBase64(int at) {
        return new WrongTypeException((converts ? "error decoding from json: " : "")
                + "illegal base64 data at input byte " + at);
    }

    private static boolean inRange(JsonNode value, String format) {
        return format.equals("int32") ? value.canConvertToInt() : value.canConvertToLong();
    }

    /** The words of upstream's converter of maps for a value of a wrong type. */
    private static String conversion(JsonNode value, Field field, String goType) {
        String given = switch (value.getNodeType()) {
            case OBJECT -> "map";
            case ARRAY -> "slice";
            default -> JsonValues.goType(value);
        };
        if (goType.startsWith("map[") || goType.startsWith("[]")) {
            return "cannot restore " + (goType.startsWith("[]") ? "slice" : "map") + " from " + given;
        }
        String kind = switch (field.typeName()) {
            case "string" -> "string";
            case "boolean" -> "bool";
            case "integer" -> field.format().isEmpty() ? "int64" : field.format();
            case "number" -> "float64";
            default -> "";
        };
        if (kind.isEmpty()) {
            return field.type().isObject()
                    ? "cannot restore struct from: " + given
                    : "json: cannot unmarshal " + FieldValidation.jsonType(value) + " into Go value of type " + goType;
        }
        boolean isConvertible = given.equals("int64") && kind.equals("string")
                || given.equals("float64") && kind.startsWith("int");
        return isConvertible ? "cannot convert " + given + " to " + goType : "unrecognized type: " + kind;
    }

    private WrongTypeException wrong(JsonNode value, Field field, TypeSchema owner, String goType) {
        if (converts) {
            return new WrongTypeException(conversion(value, field, goType));
        }
        String struct = owner.name().substring(owner.name().lastIndexOf('.') + 1);
        List<String> fields = new ArrayList<>(path);
        fields.removeIf(step -> step.startsWith("[") || step.startsWith(KEY));
        boolean wantsInteger = goType.startsWith("int") && value.isNumber();
        return new WrongTypeException("json: cannot unmarshal " + FieldValidation.jsonType(value)
                + (wantsInteger ? " " + value : "") + " into Go struct field " + struct
                + "." + String.join(".", fields) + " of type " + goType);
    }

    private static String goType(Field field) {
        return switch (field.shape()) {
            case SINGLE -> elementType(field);
            case LIST -> "[]" + elementType(field);
            case MAP -> "map[string]" + elementType(field);
            case MAP_OF_LISTS -> "map[string][]" + elementType(field);
        };
    }

    private static String elementType(Field field) {
        if (!field.goType().isEmpty()) {
            return field.goType();
        }
        return switch (field.typeName()) {
            case "string" -> field.format().equals("byte") ? "[]uint8" : "string";
            case "boolean" -> "bool";
            case "integer" -> field.format().isEmpty() ? "int64" : field.format();
            case "number" -> "float64";
            default -> {
                String[] parts = field.typeName().split("\\.", -1);
                yield parts[parts.length - 2] + "." + parts[parts.length - 1];
            }
        };
    }
}
