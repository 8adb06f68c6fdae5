package dev.wheelhouse.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The help on the command line. It is made from the configuration metadata, which Spring Boot's annotation processor
 * makes from the records of properties, as the tables of {@code docs/configuration.md} are.
 */
final class OptionHelp {
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final String PREFIX = "wheelhouse.";
    private static final int WIDTH = 94;

    private OptionHelp() {}

    /** The metadata of each option, sorted by name. */
    static List<JsonNode> options() {
        Map<String, JsonNode> options = new TreeMap<>();
        try {
            for (URL url : Collections.list(OptionHelp.class.getClassLoader().getResources(METADATA))) {
                try (InputStream in = url.openStream()) {
                    JsonMapper.shared().readTree(in).path("properties").valueStream()
                            .filter(option -> option.path("name").asString().startsWith(PREFIX))
                            .forEach(option -> options.put(option.path("name").asString(), option));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the configuration metadata cannot be read", e);
        }
        return List.copyOf(options.values());
    }

    static String text() {
        Map<String, StringBuilder> groups = new TreeMap<>();
        for (JsonNode option : options()) {
            String name = option.path("name").asString();
            // An application that contains Wheelhouse may turn it off; the service is nothing else.
            if (!name.equals("wheelhouse.enabled")) {
                groups.computeIfAbsent(group(name, option), group -> new StringBuilder())
                        .append("\n  --").append(name).append(value(option)).append(meaning(option));
            }
        }
        StringBuilder text = new StringBuilder("""
                Wheelhouse, a Kubernetes controller manager.

                Without options it starts an embedded API server with hollow nodes, a scheduler and the controllers.
                --version prints its version.

                Each option is shown with its default, or with the values that it may have.
                """);
        groups.forEach((group, options) -> text.append('\n').append(group).append(':').append(options).append('\n'));
        return text.append("""

                The web server:
                  --server.port=8080
                      the port of the console, health and metrics; 0 for any free port

                Any other Spring Boot property works as well.""").toString();
    }

    private static String group(String name, JsonNode option) {
        String group = name.substring(0, name.lastIndexOf('.'));
        return !group.equals("wheelhouse")
                ? "Options " + group + ".*"
                : option.path("sourceType").asString().endsWith("." + ControllerManagerFlags.class.getSimpleName())
                        ? "Options that kube-controller-manager has, too"
                        : "Options";
    }

    private static String value(JsonNode option) {
        JsonNode standard = option.path("defaultValue");
        String type = option.path("type").asString();
        if (type.startsWith("java.util.Map<")) {
            return ".NAME=N";
        }
        if (isEnumeration(option)) {
            return "=" + String.join("|", choices(type));
        }
        String text = standard.isArray() ? "" : standard.asString("");
        return "=" + (!text.isEmpty() ? text : switch (type) {
            case "java.lang.Boolean" -> "true|false";
            case "java.lang.Integer", "java.lang.Double" -> "N";
            default -> type.startsWith("java.util.List<") ? "TEXT,..." : "TEXT";
        });
    }

    private static boolean isEnumeration(JsonNode option) {
        return option.path("type").asString().startsWith("dev.wheelhouse.");
    }

    /** The values of an option whose type is an enumeration. */
    static List<String> choices(String type) {
        try {
            return Arrays.stream(Class.forName(type).getEnumConstants())
                    .map(value -> value.toString().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("the configuration metadata is of another version", e);
        }
    }

    private static String meaning(JsonNode option) {
        StringBuilder meaning = new StringBuilder();
        int column = WIDTH;
        String text = option.path("description").asString().replaceAll("\\{@code ([^}]*)}", "$1")
                + (isEnumeration(option) ? "; by default " + option.path("defaultValue").asString() : "");
        for (String word : text.split(" ")) {
            boolean begins = column + 1 + word.length() > WIDTH;
            meaning.append(begins ? "\n      " : " ").append(word);
            column = (begins ? 0 : column + 1) + word.length();
        }
        return meaning.toString();
    }
}
