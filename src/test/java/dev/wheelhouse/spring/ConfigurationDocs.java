package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

/**
 * Writes the tables of {@code docs/configuration.md} from the configuration metadata, which Spring Boot's annotation
 * processor makes from the records of properties.
 */
final class ConfigurationDocs {
    static final Path PAGE = Path.of("docs/configuration.md");
    private static final String BEGIN = "<!-- The tables are made from the configuration metadata. -->\n";

    private ConfigurationDocs() {}

    /** The page with new tables. */
    static String page(List<JsonNode> properties) throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN);
        if (begin < 0) {
            throw new IllegalStateException(PAGE + " has no line " + BEGIN);
        }
        Map<String, StringBuilder> tables = new TreeMap<>();
        for (JsonNode property : properties) {
            String name = property.path("name").asString();
            tables.computeIfAbsent(name.substring(0, name.lastIndexOf('.')), group -> new StringBuilder())
                    .append(row(name, property));
        }
        StringBuilder made = new StringBuilder(page.substring(0, begin + BEGIN.length()));
        tables.forEach((group, rows) -> made.append("\n## `").append(group)
                .append(".*`\n\n| option | value | default | meaning |\n|---|---|---|---|\n").append(rows));
        return made.toString();
    }

    private static String row(String name, JsonNode property) {
        JsonNode given = property.path("defaultValue");
        String text = given.isArray() ? "" : given.asString("");
        return "| `" + name + "` | " + values(property.path("type").asString()) + " | "
                + (text.isEmpty() ? "" : "`" + text + "`") + " | "
                + property.path("description").asString().replaceAll("\\{@code ([^}]*)}", "`$1`").replace("|", "\\|")
                + " |\n";
    }

    private static String values(String type) {
        return switch (type) {
            case "java.lang.Boolean" -> "`true`, `false`";
            case "java.lang.Integer" -> "a whole number";
            case "java.lang.Double" -> "a number";
            case "java.lang.String" -> "text";
            case "java.nio.file.Path" -> "a path";
            case "java.time.Duration" -> "a time: `15s`";
            case "org.springframework.util.unit.DataSize" -> "a size: `3MB`";
            case "java.util.List<java.lang.String>" -> "texts, separated by commas";
            case "java.util.Map<java.lang.String,java.lang.Integer>" -> "`NAME=` a whole number";
            default -> String.join(", ", OptionHelp.choices(type).stream().map(value -> "`" + value + "`").toList());
        };
    }
}
