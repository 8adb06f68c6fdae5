package dev.wheelhouse.facts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/**
 * Parses the lines of one type of {@code types.tsv}. Columns are separated by tabs:
 *
 * <pre>
 * type     NAME  object|any|SCALAR  [gvk=GROUP/VERSION KIND,…]
 * field    TYPE  NAME               VALUE TYPE  [ATTRIBUTE[=VALUE] …]
 * typeAttr TYPE  map=atomic
 * </pre>
 *
 * A value type begins with {@code []} for a list and with {@code map} for a map. A primitive may be followed by its
 * format in parentheses. The attributes are those of {@link Field}: {@code required}, {@code default}, {@code enum},
 * {@code list}, {@code keys}, {@code map}, {@code patch}, {@code mergeKey}, {@code pointer}, {@code always},
 * {@code go}, {@code pb}. The numbers of {@code pb} are separated by slashes.
 */
final class TypeParser {
    private static final Set<String> ATTRIBUTES = Set.of("required", "default", "enum", "list", "keys", "map", "patch",
            "mergeKey", "pointer", "always", "go", "pb");

    private static final JsonMapper DEFAULTS = new JsonMapper();

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
        Map<String, String> attributes = attributes(columns);
        String defaultValue = attributes.get("default");
        return new Field(columns[2], shape, type, format, attributes.containsKey("required"),
                defaultValue == null ? null : DEFAULTS.readTree(defaultValue), set(attributes.get("enum")),
                attributes.getOrDefault("list", ""), List.copyOf(set(attributes.get("keys"))),
                attributes.getOrDefault("map", ""), set(attributes.get("patch")),
                attributes.getOrDefault("mergeKey", ""), attributes.containsKey("pointer"),
                attributes.containsKey("always"), attributes.getOrDefault("go", ""), numbers(attributes.get("pb")));
    }

    /** The attributes of a field by name; the value is empty for an attribute without one. */
    private static Map<String, String> attributes(String[] columns) {
        Map<String, String> attributes = new HashMap<>();
        for (int i = 4; i < columns.length; i++) {
            int equals = columns[i].indexOf('=');
            String name = equals < 0 ? columns[i] : columns[i].substring(0, equals);
            if (!ATTRIBUTES.contains(name)) {
                throw new IllegalStateException("field " + columns[1] + "." + columns[2]
                        + " has the attribute " + columns[i] + ", which this version does not know");
            }
            attributes.put(name, equals < 0 ? "" : columns[i].substring(equals + 1));
        }
        return attributes;
    }

    private static List<Integer> numbers(@Nullable String slashSeparated) {
        return slashSeparated == null
                ? List.of()
                : Stream.of(slashSeparated.split("/", -1)).map(Integer::valueOf).toList();
    }

    private static Set<String> set(@Nullable String commaSeparated) {
        return commaSeparated == null
                ? Set.of()
                : Collections.unmodifiableSet(new LinkedHashSet<>(List.of(commaSeparated.split(",", -1))));
    }
}
