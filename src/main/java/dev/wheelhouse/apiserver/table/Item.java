package dev.wheelhouse.apiserver.table;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * An object, or a part of one, as columns read it. No access fails: a field that is missing or of another type gives an
 * empty value. A path is a list of field names.
 *
 * @param now the time at which ages are computed
 */
public record Item(JsonNode node, Instant now) {
    public static final String NONE = "<none>";
    public static final String UNSET = "<unset>";
    public static final String UNKNOWN = "<unknown>";

    /** The text at a path; empty if it is missing or not a string. */
    public String text(String... path) {
        return Json.text(node, path);
    }

    /** The text at a path; {@code otherwise} if it is missing or empty. */
    public String textOr(String otherwise, String... path) {
        String text = text(path);
        return text.isEmpty() ? otherwise : text;
    }

    /** The whole number at a path; 0 if it is missing or not a whole number. */
    public long number(String... path) {
        return Json.number(node, 0, path);
    }

    /** The boolean at a path; false if it is missing or not a boolean. */
    public boolean flag(String... path) {
        return flagOr(false, path);
    }

    /** The boolean at a path; {@code otherwise} if it is missing or not a boolean. */
    public boolean flagOr(boolean otherwise, String... path) {
        JsonNode at = Json.at(node, path);
        return (at != null && at.isBoolean()) ? at.booleanValue() : otherwise;
    }

    /** Whether there is a value at the path, other than null. */
    public boolean has(String... path) {
        return Json.at(node, path) != null;
    }

    /** A number, text, quantity or int-or-string as its text; {@code otherwise} if it is missing. */
    public String scalarOr(String otherwise, String... path) {
        JsonNode at = Json.at(node, path);
        return at == null || !at.isValueNode() ? otherwise : at.asString();
    }

    /** The part at a path; an empty one if there is none. */
    public Item part(String... path) {
        JsonNode at = Json.at(node, path);
        return new Item(at == null ? Json.object() : at, now);
    }

    /** The elements of the list at a path. */
    public List<Item> items(String... path) {
        JsonNode at = Json.at(node, path);
        return at != null && at.isArray()
                ? at.valueStream().map(element -> new Item(element, now)).toList()
                : List.of();
    }

    /** The number of elements or entries of the list or map at a path. */
    public long size(String... path) {
        JsonNode at = Json.at(node, path);
        return at == null || at.isValueNode() ? 0 : at.size();
    }

    /** The texts of the list at a path. */
    public List<String> texts(String... path) {
        return Json.texts(part(path).node);
    }

    /** The texts of a list's elements, joined by commas. */
    public String join(Function<Item, String> text, String... path) {
        return String.join(",", items(path).stream().map(text).toList());
    }

    /** The texts of the map at a path, sorted by key. */
    public Map<String, String> entries(String... path) {
        Map<String, String> entries = new TreeMap<>();
        JsonNode at = Json.at(node, path);
        if (at != null && at.isObject()) {
            at.properties().forEach(e -> entries.put(e.getKey(), e.getValue().asString("")));
        }
        return entries;
    }

    /** The labels at a path, as in {@code app=web,tier=front}. */
    public String labels(String... path) {
        List<String> labels = new ArrayList<>();
        entries(path).forEach((key, value) -> labels.add(key + "=" + value));
        return labels.isEmpty() ? NONE : String.join(",", labels);
    }

    /** The addresses of {@code status.loadBalancer}, sorted and joined by commas. */
    public String loadBalancer() {
        return items("status", "loadBalancer", "ingress").stream()
                .map(ingress -> ingress.textOr(ingress.text("hostname"), "ip")).filter(address -> !address.isEmpty())
                .distinct().sorted().collect(Collectors.joining(","));
    }

    /** The first three texts, joined by commas, and the number of further ones; {@code <unset>} if there is no text. */
    public static String firstThree(List<String> texts) {
        String text = texts.stream().limit(3).collect(Collectors.joining(","));
        return texts.size() > 3 ? text + " + " + (texts.size() - 3) + " more..." : text.isEmpty() ? UNSET : text;
    }

    /** The first element of a list whose {@code type} is this one; an empty item if there is none. */
    public Item ofType(String type, String... path) {
        return items(path).stream().filter(element -> element.text("type").equals(type)).findFirst()
                .orElse(new Item(Json.object(), now));
    }

    /**
     * The label selector at a path, its requirements sorted by key (upstream: {@code metav1.FormatLabelSelector});
     * {@code <none>} for one without requirements, {@code <error>} for one with an unknown operator.
     */
    public String selector(String... path) {
        String text = selectorText(path);
        if (text == null) {
            return "<error>";
        }
        return text.isEmpty() ? NONE : text;
    }

    /** The label selector at a path as its requirements, sorted by key; null for one with an unknown operator. */
    public @Nullable String selectorText(String... path) {
        Item selector = part(path);
        List<Requirement> requirements = new ArrayList<>();
        selector.entries("matchLabels").forEach((k, v) -> requirements.add(new Requirement(k, k + "=" + v)));
        for (Item expression : selector.items("matchExpressions")) {
            String key = expression.text("key");
            String values = "(" + String.join(",", expression.texts("values").stream().sorted().toList()) + ")";
            String text = switch (expression.text("operator")) {
                case "In" -> key + " in " + values;
                case "NotIn" -> key + " notin " + values;
                case "Exists" -> key;
                case "DoesNotExist" -> "!" + key;
                default -> null;
            };
            if (text == null) {
                return null;
            }
            requirements.add(new Requirement(key, text));
        }
        requirements.sort(Comparator.comparing(Requirement::key));
        return String.join(",", requirements.stream().map(Requirement::text).toList());
    }

    /** Whether {@code status.conditions} has this condition with status True. */
    public boolean isTrue(String condition) {
        return ofType(condition, "status", "conditions").text("status").equals("True");
    }

    /** The name of the object. */
    public String name() {
        return text("metadata", "name");
    }

    /** Whether the object is being deleted. */
    public boolean deleting() {
        return has("metadata", "deletionTimestamp");
    }

    /** The time since the object was created. */
    public String age() {
        return since("metadata", "creationTimestamp");
    }

    /** The time that has passed since the timestamp at a path. */
    public String since(String... path) {
        if (text(path).isEmpty()) {
            return UNKNOWN;
        }
        Instant then = time(path);
        return then == null ? "<invalid>" : HumanDuration.of(Duration.between(then, now));
    }

    /** The timestamp at a path; null if it is missing or not a time. */
    public @Nullable Instant time(String... path) {
        try {
            return Instant.parse(text(path));
        } catch (DateTimeException e) {
            return null;
        }
    }

    private record Requirement(String key, String text) {}
}
