package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.TypeSchema.Field;
import dev.wheelhouse.apiserver.schema.TypeSchema.Shape;

/**
 * Parses the lines of one type of {@code types-1.36.tsv}: {@code type <name> <kind> [gvk=…]}, {@code field <type> <name> <type of value> …},
 * {@code typeAttr <type> …}, separated by tabs.
 */
final class TypeParser {
    private TypeParser() {}

    static TypeSchema parse(String name, String block) {
        String[] lines = block.split("\n", -1);
        String[] head = lines[0].split("\t", -1);
        Map<String, Field> fields = new LinkedHashMap<>();
        boolean atomic = false;
        for (int i = 1; i < lines.length; i++) {
            String[] columns = lines[i].split("\t", -1);
            if (columns[0].equals("field")) {
                fields.put(columns[2], field(columns));
            } else if (columns[0].equals("typeAttr")) {
                atomic |= columns[2].equals("map=atomic");
            }
        }
        return new TypeSchema(name, scalar(name, head[2]), Collections.unmodifiableMap(fields), atomic,
                kinds(lines[0]));
    }

    /** The kinds that a type's first line names, the core group's as {@code v1 Pod}. */
    static List<String> kinds(String head) {
        int at = head.indexOf("\tgvk=");
        if (at < 0) {
            return List.of();
        }
        List<String> kinds = new ArrayList<>();
        int end = head.indexOf('\t', at + 5);
        for (String kind : head.substring(at + 5, end < 0 ? head.length() : end).split(",", -1)) {
            kinds.add(kind.startsWith("core/") ? kind.substring(5) : kind);
        }
        return List.copyOf(kinds);
    }

    private static @Nullable String scalar(String name, String kind) {
        String simple = name.substring(name.lastIndexOf('.') + 1);
        return switch (kind) {
            case "object" -> switch (simple) {
                case "RawExtension", "FieldsV1", "Patch" -> "raw-object";
                default -> null;
            };
            case "string|number" -> "quantity";
            case "integer|string" -> "int-or-string";
            case "string(date-time)" -> simple.equals("MicroTime") ? "micro-time" : "time";
            default -> kind;
        };
    }

    private static Field field(String[] columns) {
        String type = columns[3];
        Shape shape = Shape.SINGLE;
        if (type.startsWith("map []")) {
            shape = Shape.MAP_OF_LISTS;
            type = type.substring(6);
        } else if (type.startsWith("map ")) {
            shape = Shape.MAP;
            type = type.substring(4);
        } else if (type.startsWith("[]")) {
            shape = Shape.LIST;
            type = type.substring(2);
        }
        String format = "";
        int paren = type.indexOf('(');
        if (paren > 0) {
            format = type.substring(paren + 1, type.length() - 1);
            type = type.substring(0, paren);
        }
        boolean required = false;
        JsonNode defaultValue = null;
        Set<String> enumValues = Set.of();
        String listType = "";
        List<String> keys = List.of();
        String mapType = "";
        Set<String> patch = Set.of();
        String mergeKey = "";
        boolean pointer = false;
        boolean always = false;
        String goType = "";
        for (int i = 4; i < columns.length; i++) {
            String column = columns[i];
            int equals = column.indexOf('=');
            String value = equals < 0 ? "" : column.substring(equals + 1);
            switch (equals < 0 ? column : column.substring(0, equals)) {
                case "required" -> required = true;
                case "default" -> defaultValue = Json.read(value);
                case "enum" -> enumValues = set(value);
                case "list" -> listType = value;
                case "keys" -> keys = List.of(value.split(",", -1));
                case "map" -> mapType = value;
                case "patch" -> patch = set(value);
                case "mergeKey" -> mergeKey = value;
                case "pointer" -> pointer = true;
                case "always" -> always = true;
                case "go" -> goType = value;
                default -> throw new IllegalStateException("field " + columns[1] + "." + columns[2]
                        + " has the attribute " + column + ", which is not known: correct types-1.36.tsv");
            }
        }
        return new Field(columns[2], shape, type, format, required, defaultValue, enumValues, listType, keys, mapType,
                patch, mergeKey, pointer, always, goType);
    }

    private static Set<String> set(String commaSeparated) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(commaSeparated.split(",", -1))));
    }
}
