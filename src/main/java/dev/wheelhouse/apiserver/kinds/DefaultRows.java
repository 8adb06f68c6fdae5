package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Condition;
import dev.wheelhouse.facts.RuleTables;

/** The rows of {@code defaults.tsv}, which explains its own form. */
final class DefaultRows {
    private DefaultRows() {}

    /**
     * Adds the rules of all types of the table, by the full names of types.
     *
     * @throws IllegalArgumentException if a row is not in the form that {@code defaults.tsv} explains
     */
    static void addTo(Map<String, Consumer<ObjectNode>> rules) {
        RuleTables.read("defaults.tsv").forEach((type, rows) -> rows.stream().map(DefaultRows::row)
                .forEach(row -> rules.merge(type, row, Consumer::andThen)));
    }

    private static Consumer<ObjectNode> row(String row) {
        String[] columns = row.split("\t");
        List<Condition> conditions = columns.length == 2 ? List.of() : Condition.all(columns[2]);
        JsonNode fields = Json.read(columns[1]);
        String[] path = columns[0].equals(".") ? new String[0] : columns[0].split("\\.");
        return object -> {
            if (conditions.stream().allMatch(condition -> condition.holds(object))) {
                fill(object, path, 0, fields);
            }
        };
    }

    /** Fills in the objects that the rest of a path leads to. */
    private static void fill(JsonNode from, String[] path, int at, JsonNode fields) {
        if (at == path.length) {
            if (from instanceof ObjectNode object) {
                fill(object, fields);
            }
            return;
        }
        String step = path[at];
        if (step.endsWith("[]")) {
            from.path(step.substring(0, step.length() - 2)).forEach(element -> fill(element, path, at + 1, fields));
        } else {
            fill(from.path(step.substring(0, step.length() - 1)), path, at + 1, fields);
        }
    }

    private static void fill(ObjectNode object, JsonNode fields) {
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            boolean ofZero = field.getKey().endsWith("!");
            String name = ofZero ? field.getKey().substring(0, field.getKey().length() - 1) : field.getKey();
            JsonNode present = Json.at(object, name);
            JsonNode value = field.getValue();
            if (value.isObject()) {
                fill(Json.child(object, name), value);
            } else if (present == null || value.isString() && Json.text(object, name).isEmpty() && present.isString()
                    || value.isArray() && present.isEmpty() || ofZero && present.isInt() && present.intValue() == 0) {
                object.set(name, value.deepCopy());
            }
        }
    }
}
