package dev.wheelhouse.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@code values.yaml} and the table of the chart's README from {@code values.schema.json}. */
final class ChartDocs {
    static final Path CHART = Path.of("helm/wheelhouse");
    static final Path VALUES = CHART.resolve("values.yaml");
    static final Path README = CHART.resolve("README.md");

    private static final String TABLE = "| value | type | default | meaning |\n|---|---|---|---|\n";
    private static final int WIDTH = 120;

    private ChartDocs() {}

    private static JsonNode schema() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(CHART.resolve("values.schema.json")));
    }

    // ---- values.yaml

    static String values() throws IOException {
        StringBuilder yaml = new StringBuilder(
                "# Made from values.schema.json, as the table in README.md: change the schema, not this file.\n");
        values(schema(), "", yaml);
        return yaml.toString();
    }

    private static void values(JsonNode object, String indent, StringBuilder yaml) {
        for (Map.Entry<String, JsonNode> each : object.path("properties").properties()) {
            JsonNode property = each.getValue();
            if (!property.has("description")) {
                continue;
            }
            if (indent.isEmpty()) {
                yaml.append('\n');
            }
            comment(property.path("description").asString(), indent, yaml);
            yaml.append(indent).append(each.getKey()).append(':');
            if (property.has("properties")) {
                yaml.append('\n');
                values(property, indent + "  ", yaml);
            } else {
                yaml.append(' ').append(property.path("default")).append('\n');
            }
        }
    }

    private static void comment(String text, String indent, StringBuilder yaml) {
        StringBuilder line = new StringBuilder(indent + "#");
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                yaml.append(line).append('\n');
                line = new StringBuilder(indent + "#");
            }
            line.append(' ').append(word);
        }
        yaml.append(line).append('\n');
    }

    // ---- README.md

    /** The README with a new table. */
    static String readme() throws IOException {
        String text = Files.readString(README);
        int begin = text.indexOf(TABLE);
        if (begin < 0) {
            throw new IllegalStateException(README + " has no table that begins with " + TABLE);
        }
        int end = text.indexOf("\n\n", begin);
        List<String> rows = new ArrayList<>();
        rows(schema(), "", rows);
        return text.substring(0, begin) + TABLE + String.join("\n", rows) + (end < 0 ? "\n" : text.substring(end));
    }

    private static void rows(JsonNode object, String prefix, List<String> rows) {
        for (Map.Entry<String, JsonNode> each : object.path("properties").properties()) {
            JsonNode property = each.getValue();
            String name = prefix + each.getKey();
            if (property.has("properties")) {
                rows(property, name + ".", rows);
            } else if (property.has("description")) {
                rows.add("| `" + name + "` | " + type(property) + " | `" + property.path("default") + "` | "
                        + property.path("description").asString() + " |");
            }
        }
    }

    private static String type(JsonNode property) {
        JsonNode type = property.path(property.has("enum") ? "enum" : "type");
        if (type.isString()) {
            return type.asString();
        }
        StringJoiner choices = new StringJoiner(" or ");
        type.forEach(choice -> choices.add(choice.asString()));
        return choices.toString();
    }
}
