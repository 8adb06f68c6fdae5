package dev.wheelhouse.apiserver.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Collects the causes of one invalid object, in upstream's words (upstream:
 * {@code apimachinery/pkg/util/validation/field/errors.go}). Each method adds one kind of error for a field, which is
 * named by its whole path; {@link #at} and {@link #key} build paths. The list is bounded, because an object may be
 * wrong in a million places, and each message may show the whole object. For one thread.
 */
public final class Problems {
    /** The limit for the characters of all causes. The last cause may exceed it. */
    private static final int MOST_CHARACTERS = 256 * 1024;

    private final boolean warns;
    private final List<StatusCause> causes = new ArrayList<>(0);
    private long characters;

    public Problems() {
        this(false);
    }

    private Problems(boolean warns) {
        this.warns = warns;
    }

    /** Collects warnings: the message of each is the field and the detail, without the kind of error. */
    public static Problems ofWarnings() {
        return new Problems(true);
    }

    /** Adds a warning, which has no kind of error. The field is empty for a warning that names none. */
    public void warn(String field, String detail) {
        add(field, "", "", detail);
    }

    /** An immutable copy of the causes so far. */
    public List<StatusCause> causes() {
        return List.copyOf(causes);
    }

    public boolean isEmpty() {
        return causes.isEmpty();
    }

    /** Takes the causes of a check that comes before all others, if it has any, in the place of the causes so far. */
    public void replace(Problems first) {
        if (!first.isEmpty()) {
            causes.clear();
            causes.addAll(first.causes);
        }
    }

    /** Whether further causes are dropped. */
    public boolean isFull() {
        return characters >= MOST_CHARACTERS;
    }

    /** The number of causes so far. */
    public int size() {
        return causes.size();
    }

    /** The path of a list element: {@code spec.ports[0]}. */
    public static String at(String list, int index) {
        return list + "[" + index + "]";
    }

    /**
     * Calls a check for each element of a list.
     *
     * @param path the path of the list
     * @param check receives the element and its path
     */
    public static void each(JsonNode list, String path, BiConsumer<JsonNode, String> check) {
        int i = 0;
        for (JsonNode element : list) {
            check.accept(element, at(path, i++));
        }
    }

    /** Calls a check for each element of a list that is a field of the object at a path. */
    public static void each(JsonNode object, String path, String field, BiConsumer<JsonNode, String> check) {
        each(object.path(field), path + "." + field, check);
    }

    /** The path of a map entry: {@code metadata.annotations[key]}. */
    public static String key(String map, String key) {
        return map + "[" + key + "]";
    }

    public void required(String field) {
        required(field, "");
    }

    public void required(String field, String detail) {
        add(field, "FieldValueRequired", "Required value", detail);
    }

    public void invalid(String field, String value, String detail) {
        add(field, "FieldValueInvalid", () -> "Invalid value: " + StringNode.valueOf(value), detail);
    }

    public void invalid(String field, long value, String detail) {
        add(field, "FieldValueInvalid", "Invalid value: " + value, detail);
    }

    /** @param value printed as JSON; null and a missing node print as {@code null} */
    public void invalid(String field, @Nullable JsonNode value, String detail) {
        add(field, "FieldValueInvalid",
                () -> "Invalid value: " + (value == null || value.isMissingNode() ? "null" : value), detail);
    }

    /** An invalid value that the message does not show. */
    public void omitted(String field, String detail) {
        add(field, "FieldValueInvalid", "Invalid value", detail);
    }

    /** Adds an error for each of the messages. */
    public void invalid(String field, String value, List<String> details) {
        details.forEach(detail -> invalid(field, value, detail));
    }

    public void notSupported(String field, String value, String... supported) {
        notSupported(field, StringNode.valueOf(value), supported);
    }

    /** @param value printed as JSON */
    public void notSupported(String field, JsonNode value, String... supported) {
        StringBuilder detail = new StringBuilder("supported values: ");
        for (int i = 0; i < supported.length; i++) {
            detail.append(i == 0 ? "\"" : ", \"").append(supported[i]).append('"');
        }
        add(field, "FieldValueNotSupported", () -> "Unsupported value: " + value, detail.toString());
    }

    /** Requires a value, and checks it by the errors that {@code form} returns. */
    public void formed(String field, String value, Function<String, List<String>> form) {
        if (value.isEmpty()) {
            required(field);
        } else {
            invalid(field, value, form.apply(value));
        }
    }

    /** Requires a value, which must be one of those supported. */
    public void oneOf(String field, String value, String... supported) {
        if (value.isEmpty()) {
            required(field);
        } else {
            supported(field, value, supported);
        }
    }

    /** Refuses a value that is not one of these, also an empty one. */
    public void supported(String field, String value, String... supported) {
        if (!List.of(supported).contains(value)) {
            notSupported(field, value, supported);
        }
    }

    public void forbidden(String field, String detail) {
        add(field, "FieldValueForbidden", "Forbidden", detail);
    }

    public void duplicate(String field, String value) {
        add(field, "FieldValueDuplicate", "Duplicate value: " + value, "");
    }

    /**
     * Refuses a value that was seen before.
     *
     * @param seen gets the value
     * @param shown the value, as the message shows it
     */
    public <T> void unique(Set<T> seen, T value, String field, String shown) {
        if (!seen.add(value)) {
            duplicate(field, shown);
        }
    }

    void notFound(String field, String value, String detail) {
        add(field, "FieldValueNotFound", "Not found: " + StringNode.valueOf(value), detail);
    }

    public void tooLong(String field, int maxBytes) {
        add(field, "FieldValueTooLong", "Too long", "may not be more than " + maxBytes + " bytes");
    }

    /** Refuses a list with more than {@code max} items, of which there must be at least two. */
    public void tooMany(String field, int actual, int max) {
        add(field, "FieldValueTooMany", "Too many: " + actual, "must have at most " + max + " items");
    }

    /**
     * Refuses a negative number. A missing field is valid.
     *
     * @param path the path of the object
     */
    public void nonNegative(JsonNode object, String path, String field) {
        long value = Json.number(object, 0, field);
        if (value < 0) {
            invalid(path + "." + field, value, "must be greater than or equal to 0");
        }
    }

    /** Refuses a change of a field. */
    public void immutable(String field, @Nullable JsonNode now, @Nullable JsonNode before) {
        boolean same = (now == null || now.isNull()) ? (before == null || before.isNull()) : now.equals(before);
        if (!same) {
            invalid(field, now, "field is immutable");
        }
    }

    /** A map with sorted keys, as Go prints it; null stays null. */
    public static @Nullable JsonNode sorted(@Nullable JsonNode map) {
        if (!(map instanceof ObjectNode object)) {
            return map;
        }
        Map<String, JsonNode> entries = new TreeMap<>();
        object.properties().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        ObjectNode result = Json.object();
        entries.forEach(result::set);
        return result;
    }

    /** Adds a cause that was found elsewhere. */
    public void add(StatusCause cause) {
        add(() -> cause);
    }

    /** Adds a cause, unless the list is full. The supplier is called only if there is room for its cause. */
    public void add(Supplier<StatusCause> making) {
        if (!isFull()) {
            StatusCause cause = making.get();
            characters += cause.field().length() + cause.message().length();
            causes.add(cause);
        }
    }

    private void add(String field, String reason, String message, String detail) {
        add(field, reason, () -> message, detail);
    }

    private void add(String field, String reason, Supplier<String> message, String detail) {
        if (warns) {
            add(() -> new StatusCause(field, reason, field.isEmpty() ? detail : field + ": " + detail));
            return;
        }
        add(() -> new StatusCause(field, reason, detail.isEmpty() ? message.get() : message.get() + ": " + detail));
    }
}
