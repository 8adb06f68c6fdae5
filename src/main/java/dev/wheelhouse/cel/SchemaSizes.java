package dev.wheelhouse.cel;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * How large the values of a schema can be in a request of the largest size (upstream:
 * {@code apiserver/pkg/cel/common/schemas.go}). Stateless.
 */
final class SchemaSizes {
    /** The most bytes of a request (upstream: {@code MaxRequestSizeBytes}). */
    private static final long REQUEST = 3L * 1024 * 1024;
    private static final JsonNode SCALAR = Json.object();
    /** The metadata of a schema that does not declare both names (upstream: {@code WithTypeAndObjectMeta}). */
    private static final JsonNode METADATA = metadata();

    private SchemaSizes() {}

    private static JsonNode metadata() {
        ObjectNode metadata = Json.object().put("type", "object");
        ObjectNode properties = metadata.putObject("properties");
        List.of("name", "generateName").forEach(name -> properties.putObject(name).put("type", "string"));
        return metadata;
    }

    /** How often a value of the schema can be in one object. */
    static long most(JsonNode schema, boolean resource) {
        return REQUEST / (least(schema, resource) + 1);
    }

    /** The fewest bytes of a value as JSON. */
    private static long least(JsonNode schema, boolean resource) {
        if (isIntOrString(schema)) {
            return 1;
        }
        return switch (resource ? "object" : Json.text(schema, "type")) {
            case "object" -> {
                long least = 2;
                if (!(schema.get("additionalProperties") instanceof ObjectNode)) {
                    Set<String> required = new HashSet<>(Json.texts(schema.path("required")));
                    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
                        if (required.contains(field.getKey()) && !field.getValue().hasNonNull("default")) {
                            least += field.getKey().length() + least(field.getValue(), false) + 4;
                        }
                    }
                }
                yield least;
            }
            case "string" -> switch (Json.text(schema, "format")) {
                case "duration" -> 3;
                case "date" -> 12;
                case "date-time" -> 21;
                default -> 2;
            };
            case "boolean" -> 4;
            case "array" -> 2;
            default -> 1;
        };
    }

    private static boolean isIntOrString(JsonNode schema) {
        return schema.path("x-kubernetes-int-or-string").asBoolean(false);
    }

    /** The most characters, elements or entries of a value; 0 for other values. */
    static long elements(JsonNode schema) {
        String type = Json.text(schema, "type");
        if (isIntOrString(schema) || type.equals("string")) {
            return characters(schema, isIntOrString(schema));
        }
        if (type.equals("array") && schema.get("items") instanceof ObjectNode items) {
            return limit(schema, "maxItems", (REQUEST - 2) / (least(items, isEmbedded(items)) + 1));
        }
        if (type.equals("object") && schema.get("additionalProperties") instanceof ObjectNode entry) {
            return limit(schema, "maxProperties", (REQUEST - 2) / (least(entry, isEmbedded(entry)) + 6));
        }
        return 0;
    }

    private static boolean isEmbedded(JsonNode schema) {
        return schema.path("x-kubernetes-embedded-resource").asBoolean(false);
    }

    private static long limit(JsonNode schema, String name, long otherwise) {
        return schema.hasNonNull(name) ? Math.max(0, Json.number(schema, 0, name)) : otherwise;
    }

    private static long characters(JsonNode schema, boolean any) {
        String format = any ? "" : Json.text(schema, "format");
        if (List.of("duration", "date", "date-time").contains(format)) {
            return format.equals("date") ? 12 : 32;
        }
        if (schema.hasNonNull("maxLength")) {
            long most = Math.max(0, Json.number(schema, 0, "maxLength"));
            return format.equals("byte") ? most : Math.min(most, REQUEST) * 4;
        }
        if (!any && !format.equals("byte") && !schema.path("enum").isEmpty()) {
            return schema.path("enum").valueStream().mapToLong(value -> value.asString("").length()).max().orElse(0);
        }
        return REQUEST - 2;
    }

    private static boolean declaresNames(JsonNode metadata) {
        return List.of("name", "generateName").stream()
                .allMatch(name -> Json.text(metadata.path("properties").path(name), "type").equals("string"));
    }

    /** The schema at a path below a value; null if there is none. */
    static @Nullable JsonNode at(JsonNode root, List<String> path, boolean resource) {
        JsonNode at = root;
        boolean whole = resource;
        for (String step : path) {
            JsonNode next = switch (step) {
                case "@items", "@values" -> Json.text(at, "type").equals("array")
                        ? at.get("items")
                        : at.get("additionalProperties");
                case "@keys", "@indices" -> at.get("additionalProperties") instanceof ObjectNode ? SCALAR : null;
                default -> field(at, step, whole || isEmbedded(at));
            };
            if (!(next instanceof ObjectNode)) {
                return null;
            }
            at = next;
            whole = false;
        }
        return at;
    }

    private static @Nullable JsonNode field(JsonNode schema, String name, boolean resource) {
        if (resource && name.equals("metadata") && !declaresNames(schema.path("properties").path("metadata"))) {
            return METADATA;
        }
        for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
            if (CelValues.escaped(field.getKey()).equals(name)) {
                return field.getValue();
            }
        }
        if (resource && List.of("kind", "apiVersion").contains(name)) {
            return Json.object().put("type", "string");
        }
        return null;
    }
}
