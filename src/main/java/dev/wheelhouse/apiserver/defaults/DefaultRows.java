package dev.wheelhouse.apiserver.defaults;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Condition;
import dev.wheelhouse.facts.RuleTables;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** The rows of {@code defaults.tsv}, which explains its own form. */
public final class DefaultRows {
    private DefaultRows() {}

    /**
     * Adds the rules of all types of the table, by the full names of types.
     *
     * @throws IllegalArgumentException if a row is not in the form that {@code defaults.tsv} explains
     */
    public static void addTo(Map<String, Consumer<ObjectNode>> rules) {
        RuleTables.read("defaults.tsv").forEach((type, rows) -> rows.stream().map(row -> row(type, row))
                .forEach(row -> rules.merge(type, row, Consumer::andThen)));
    }

    private static Consumer<ObjectNode> row(String typeName, String row) {
        String[] columns = row.split("\t");
        List<Condition> conditions = columns.length == 2 ? List.of() : Condition.all(columns[2]);
        String[] path = columns[0].equals(".") ? new String[0] : columns[0].split("\\.");
        TypeSchema type = Schemas.ofName(typeName);
        for (String step : path) {
            type = Value.inner(type, step.replaceAll("\\W", ""));
        }
        List<Value> values = Value.all(Json.read(columns[1]), type);
        return object -> {
            if (conditions.isEmpty() || conditions.stream().allMatch(condition -> condition.holds(object))) {
                fill(object, path, 0, values, object);
            }
        };
    }

    /** Fills in the objects that the rest of a path leads to. */
    private static void fill(JsonNode from, String[] path, int at, List<Value> values, ObjectNode root) {
        if (at == path.length) {
            if (from instanceof ObjectNode object) {
                values.forEach(value -> value.fill(object, root));
            }
            return;
        }
        String step = path[at];
        if (step.endsWith("[]")) {
            from.path(step.substring(0, step.length() - 2))
                    .forEach(element -> fill(element, path, at + 1, values, root));
        } else {
            fill(from.path(step.substring(0, step.length() - 1)), path, at + 1, values, root);
        }
    }

    /**
     * The default of one field.
     *
     * @param ofZero whether a zero value counts as missing
     * @param pointer whether an empty text is a value
     * @param source the path of the value that is copied; empty for none
     * @param inner the defaults of the fields of an object
     */
    private record Value(String field, boolean ofZero, boolean pointer, JsonNode value, String[] source,
            List<Value> inner) {
        static List<Value> all(JsonNode fields, @Nullable TypeSchema type) {
            return fields.properties().stream().map(field -> {
                String text = field.getValue().asString("");
                String name = field.getKey().replace("!", "");
                TypeSchema.Field declared = type == null ? null : type.field(name);
                return new Value(name, field.getKey().endsWith("!"), declared != null && declared.pointer(),
                        field.getValue(), text.startsWith("=") ? text.substring(1).split("\\.") : new String[0],
                        all(field.getValue(), inner(type, name)));
            }).toList();
        }

        static @Nullable TypeSchema inner(@Nullable TypeSchema type, String name) {
            TypeSchema.Field field = type == null ? null : type.field(name);
            return field == null ? null : field.type();
        }

        void fill(ObjectNode object, ObjectNode root) {
            if (value.isNull()) {
                object.remove(field);
            } else if (value.isObject()) {
                ObjectNode child = Json.child(object, field);
                inner.forEach(each -> each.fill(child, root));
            } else if (isMissing(Json.at(object, field))) {
                JsonNode wanted = source.length == 0 ? value.deepCopy() : Json.at(root, source);
                if (wanted != null) {
                    object.set(field, wanted);
                }
            }
        }

        private boolean isMissing(@Nullable JsonNode present) {
            if (present == null) {
                return true;
            }
            boolean isZero = present.isInt()
                    ? present.intValue() == 0
                    : present.isEmpty() && present.asString("").isEmpty() && !present.isBoolean();
            return isZero && (ofZero || value.isString() && present.isString() && !pointer || value.isArray());
        }
    }
}
