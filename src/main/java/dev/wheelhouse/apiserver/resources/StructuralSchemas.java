package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.schema.StrictErrors;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * Prunes and defaults objects by the structural schemas of custom resources (upstream: {@code pruning} and
 * {@code defaulting} in {@code apiextensions-apiserver/pkg/apiserver/schema}).
 */
final class StructuralSchemas {
    /** The fields by which a resource is known. */
    static final List<String> IDENTITY = List.of("apiVersion", "kind", "metadata");

    private StructuralSchemas() {}

    static List<String> prune(ObjectNode object, JsonNode schema) {
        StrictErrors problems = new StrictErrors();
        prune(object, schema, FieldPath.ROOT, true, problems);
        return problems.toList().stream().sorted().toList();
    }

    /** Drops unknown fields of a part of an object, and leaves the metadata of resources alone. */
    static void prune(JsonNode value, JsonNode schema, boolean resource) {
        if (value instanceof ObjectNode object && resource) {
            prune(object, schema, FieldPath.ROOT, true, null);
        } else {
            value(value, schema, FieldPath.ROOT, null);
        }
    }

    /** @param problems null for a part of a definition */
    private static void prune(ObjectNode object, JsonNode schema, FieldPath path, boolean resource,
            @Nullable StrictErrors problems) {
        boolean keep = isTrue(schema, "x-kubernetes-preserve-unknown-fields");
        List<String> drop = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            Deadline.check();
            FieldPath at = path.child(field.getKey());
            if (resource && IDENTITY.contains(field.getKey())) {
                if (problems != null && field.getKey().equals("metadata")
                        && field.getValue() instanceof ObjectNode metadata) {
                    metadata(metadata, at, problems);
                } else if (field.getValue().isNull() && field.getKey().equals("metadata") && !path.isRoot()) {
                    field.setValue(object.objectNode());
                }
                continue;
            }
            JsonNode of = property(schema, field.getKey());
            if (of != null) {
                value(field.getValue(), of, at, problems);
            } else if (!keep && !schema.path("additionalProperties").asBoolean(false)) {
                if (problems != null) {
                    problems.add(() -> "unknown field \"" + at + "\"");
                }
                drop.add(field.getKey());
            }
        }
        object.remove(drop);
    }

    /** Drops unknown fields of metadata; metadata of an older object with a value of a wrong type stays as it is. */
    private static void metadata(ObjectNode metadata, FieldPath path, StrictErrors problems) {
        try {
            FieldValidation.pruneMetadata(metadata, path.toString())
                    .forEach(problem -> problems.add(() -> problem));
        } catch (FieldValidation.WrongTypeException e) {
            return;
        }
    }

    private static void value(JsonNode value, JsonNode schema, FieldPath path, @Nullable StrictErrors problems) {
        if (value instanceof ObjectNode object) {
            if (isTrue(schema, "x-kubernetes-int-or-string")) {
                return;
            }
            prune(object, schema, path, isTrue(schema, "x-kubernetes-embedded-resource"), problems);
        } else if (value instanceof ArrayNode array && schema.get("items") instanceof ObjectNode items) {
            int i = 0;
            for (JsonNode element : array) {
                value(element, items, path.index(i++), problems);
            }
        }
    }

    /** The schema of a field or map entry; null if the schema declares none. */
    static @Nullable JsonNode property(JsonNode schema, String name) {
        JsonNode declared = schema.path("properties").get(name);
        if (declared != null) {
            return declared;
        }
        return schema.get("additionalProperties") instanceof ObjectNode any ? any : null;
    }

    static void applyDefaults(JsonNode value, JsonNode schema, boolean keepsNulls) {
        applyDefaults(value, schema, keepsNulls, new JsonSize(TooLargeException.MOST_BYTES));
    }

    /** @param added the size of the defaults so far */
    private static void applyDefaults(JsonNode value, JsonNode schema, boolean keepsNulls, JsonSize added) {
        Deadline.check();
        if (value instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
                JsonNode standard = property.getValue().get("default");
                JsonNode present = object.get(property.getKey());
                boolean none = present == null || present.isNull() && !isTrue(property.getValue(), "nullable");
                if (standard != null && none) {
                    if (!added.add(standard)) {
                        throw new TooLargeException("the object would have " + added.bytes() + " bytes of defaults");
                    }
                    object.set(property.getKey(), standard.deepCopy());
                } else if (present != null && none && !keepsNulls) {
                    object.remove(property.getKey());
                }
            }
            if (!keepsNulls && schema.get("additionalProperties") instanceof ObjectNode entry
                    && !isTrue(entry, "nullable")) {
                object.removeIf(JsonNode::isNull);
            }
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                JsonNode of = property(schema, field.getKey());
                if (of != null) {
                    applyDefaults(field.getValue(), of, keepsNulls, added);
                }
            }
        } else if (value instanceof ArrayNode array && schema.get("items") instanceof ObjectNode items) {
            array.forEach(element -> applyDefaults(element, items, keepsNulls, added));
        }
    }

    static boolean isTrue(JsonNode schema, String flag) {
        return schema.path(flag).asBoolean(false);
    }
}
