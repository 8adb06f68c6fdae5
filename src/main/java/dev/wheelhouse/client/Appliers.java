package dev.wheelhouse.client;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The field managers that applied an object server-side, and the fields that each owns, from
 * {@code metadata.managedFields} (upstream: structured-merge-diff {@code fieldpath/serialize.go} has their form).
 */
public record Appliers(List<Entry> entries) {
    /** The time to compare a list grows with the square of its items. One that is longer counts as different. */
    private static final int MOST_ITEMS = 500;

    /** @param fields {@code fieldsV1} */
    public record Entry(String manager, String apiVersion, JsonNode fields) {}

    /** @param object a whole object, or its metadata, as the server wrote it */
    public static Appliers of(JsonNode object) {
        return new Appliers(object.path("metadata").path("managedFields").valueStream()
                .filter(entry -> entry.path("operation").asString("").equals("Apply")
                        && entry.path("subresource").asString("").isEmpty())
                .map(entry -> new Entry(entry.path("manager").asString(""), entry.path("apiVersion").asString(""),
                        entry.path("fieldsV1")))
                .toList());
    }

    public boolean contains(String manager) {
        return entries.stream().anyMatch(entry -> entry.manager.equals(manager));
    }

    /**
     * Whether a manager owns the fields of a configuration and no others, and what it owns as a whole, such as a list
     * of arguments, is stored as configured. Values of single fields are not compared. If they are equal, too, an apply
     * of the configuration would change nothing.
     *
     * @param configuration with {@code apiVersion}, {@code kind} and the name
     * @param stored the stored object
     */
    public boolean owns(String manager, JsonNode configuration, JsonNode stored) {
        List<Entry> own = entries.stream().filter(entry -> entry.manager.equals(manager)).toList();
        ObjectNode wanted = (ObjectNode) configuration.deepCopy();
        wanted.remove(List.of("apiVersion", "kind"));
        if (wanted.get("metadata") instanceof ObjectNode meta) {
            meta.remove(List.of("name", "namespace"));
            if (meta.isEmpty()) {
                wanted.remove("metadata");
            }
        }
        return own.size() == 1 && own.getFirst().apiVersion.equals(configuration.path("apiVersion").asString(""))
                && covers(own.getFirst().fields, wanted, stored);
    }

    /**
     * The reason why {@link #owns} does not hold, for people; null if it holds.
     *
     * @return such as {@code spec.replicas is not wanted any more}
     */
    public @Nullable String difference(String manager, JsonNode configuration, JsonNode stored) {
        if (owns(manager, configuration, stored)) {
            return null;
        }
        return entries.stream().filter(entry -> entry.manager.equals(manager))
                .map(entry -> dropped(entry.fields, configuration)).filter(Objects::nonNull).findFirst()
                .map(field -> field + " is not wanted any more").orElse("this process has not applied it yet");
    }

    /** The first field outside of lists that is owned and not configured; null if there is none. */
    private static @Nullable String dropped(JsonNode fields, JsonNode configuration) {
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            if (field.getKey().startsWith("f:")) {
                String name = field.getKey().substring(2);
                if (!configuration.has(name)) {
                    return name;
                }
                String inside = dropped(field.getValue(), configuration.path(name));
                if (inside != null) {
                    return name + "." + inside;
                }
            }
        }
        return null;
    }

    private static boolean covers(JsonNode fields, JsonNode wanted, JsonNode stored) {
        Map<String, JsonNode> parts = new LinkedHashMap<>();
        fields.properties().forEach(field -> parts.put(field.getKey(), field.getValue()));
        // The object itself, beside its fields.
        parts.remove(".");
        if (parts.isEmpty()) {
            return !wanted.isContainer() || isSame(wanted, stored);
        }
        if (parts.size() != wanted.size() || wanted.isArray() && wanted.size() > MOST_ITEMS) {
            return false;
        }
        return wanted.isArray()
                ? coversItems(parts, wanted, stored)
                : wanted.properties().stream().allMatch(field -> {
                    JsonNode part = parts.get("f:" + field.getKey());
                    return part != null && covers(part, field.getValue(), stored.path(field.getKey()));
                });
    }

    /** Whether each item of a list has a part, and the stored items have the order of the wanted ones. */
    private static boolean coversItems(Map<String, JsonNode> parts, JsonNode wanted, JsonNode stored) {
        Map<JsonNode, JsonNode> left = new LinkedHashMap<>();
        parts.forEach((path, part) -> {
            if (path.startsWith("k:") || path.startsWith("v:")) {
                left.put(ModelJson.read(path.substring(2), JsonNode.class), part);
            }
        });
        Iterator<JsonNode> shown = stored.iterator();
        for (JsonNode item : wanted) {
            JsonNode key = left.keySet().stream().filter(each -> matches(each, item, false)).findFirst()
                    .or(() -> left.keySet().stream().filter(each -> matches(each, item, true)).findFirst())
                    .orElse(null);
            JsonNode found = null;
            while (key != null && found == null && shown.hasNext()) {
                JsonNode next = shown.next();
                found = matches(key, next, false) ? next : null;
            }
            JsonNode part = key == null ? null : left.remove(key);
            if (part == null || found == null || !covers(part, item, found)) {
                return false;
            }
        }
        return true;
    }

    /** @param lenient whether the item may lack keys, because the server has filled them in */
    private static boolean matches(JsonNode key, JsonNode item, boolean lenient) {
        return key.isObject()
                ? key.properties().stream().allMatch(each -> item.has(each.getKey())
                        ? isSame(each.getValue(), item.get(each.getKey()))
                        : lenient)
                : isSame(key, item);
    }

    private static boolean isSame(JsonNode one, JsonNode other) {
        if (!one.isContainer()) {
            return !other.isContainer() && one.asString("").equals(other.asString(""));
        }
        if (one.getNodeType() != other.getNodeType() || one.size() != other.size()) {
            return false;
        }
        if (one.isObject()) {
            return one.properties().stream()
                    .allMatch(
                            field -> other.has(field.getKey()) && isSame(field.getValue(), other.get(field.getKey())));
        }
        Iterator<JsonNode> others = other.iterator();
        return one.valueStream().allMatch(item -> isSame(item, others.next()));
    }
}
