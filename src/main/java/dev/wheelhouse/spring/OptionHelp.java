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
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

/**
 * The help on the command line. It is made from the configuration metadata, which Spring Boot's annotation processor
 * makes from the records of properties, as the tables of {@code docs/configuration.md} are.
 */
final class OptionHelp {
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final String PREFIX = "wheelhouse.";
    private static final int WIDTH = 94;
    /** The ten options that a newcomer needs, by the place where they count. */
    private static final Map<String, List<String>> FIRST = new TreeMap<>(Map.of(
            "On this machine", List.of("server.port", "wheelhouse.apiserver.port", "wheelhouse.apiserver.kubeconfig",
                    "wheelhouse.apiserver.data-dir", "wheelhouse.apiserver.authorization-mode",
                    "wheelhouse.nodes.count"),
            "On your cluster", List.of("wheelhouse.kubeconfig", "wheelhouse.context", "wheelhouse.manage",
                    "wheelhouse.controllers")));
    /** An option of Spring Boot. */
    private static final JsonNode PORT = JsonMapper.shared().valueToTree(Map.of("name", "server.port", "defaultValue",
            "8080", "type", "java.lang.Integer", "description",
            "the port of the console, health and metrics; 0 for any free port"));

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

    /** The help that one needs at first: {@link #FIRST}. */
    static String text() {
        StringBuilder text = new StringBuilder("""
                Wheelhouse, a Kubernetes controller manager.

                Without options it starts an embedded API server with hollow nodes, a scheduler and the controllers.
                Each option is shown with its default, or with the values that it may have.
                """);
        FIRST.forEach((group, names) -> add(text, group, names.stream()
                .map(name -> shown().filter(option -> name(option).equals(name)).findFirst().orElseThrow()).toList()));
        return text.append("""

                --help WORD shows the options with a word in their names or descriptions, such as --help lease.
                --help all shows all options.
                --version prints the version.""").toString();
    }

    /** All options, in groups, that have a word in their name or description; empty if there is none. */
    static String text(String word) {
        StringBuilder text = new StringBuilder();
        shown().filter(option -> (name(option) + " " + description(option)).toLowerCase(Locale.ROOT)
                .contains(word.toLowerCase(Locale.ROOT)))
                .collect(groupingBy(OptionHelp::group, TreeMap::new, toList()))
                .forEach((group, options) -> add(text, group, options));
        return text.toString().strip();
    }

    private static void add(StringBuilder text, String group, List<JsonNode> options) {
        text.append('\n').append(group).append(":\n");
        options.forEach(option -> text.append("  --").append(name(option)).append(value(option))
                .append(meaning(option)).append('\n'));
    }

    /** The options of the service. It is nothing but Wheelhouse, so it has no option to turn that off. */
    private static Stream<JsonNode> shown() {
        return Stream.concat(Stream.of(PORT), options().stream())
                .filter(option -> !name(option).equals("wheelhouse.enabled"));
    }

    private static String name(JsonNode option) {
        return option.path("name").asString();
    }

    private static String description(JsonNode option) {
        return option.path("description").asString().replaceAll("\\{@code ([^}]*)}", "$1");
    }

    private static String group(JsonNode option) {
        String name = name(option);
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
        String text = description(option)
                + (isEnumeration(option) ? "; by default " + option.path("defaultValue").asString() : "");
        for (String word : text.split(" ")) {
            boolean begins = column + 1 + word.length() > WIDTH;
            meaning.append(begins ? "\n      " : " ").append(word);
            column = (begins ? 0 : column + 1) + word.length();
        }
        return meaning.toString();
    }
}
