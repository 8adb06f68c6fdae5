package dev.wheelhouse.apiserver.resources;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * Checks {@code apiVersion}, {@code kind} and {@code metadata} of the resources inside of a custom object (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/schema/objectmeta}). For one thread.
 *
 * @param decodes whether only values of a wrong type are problems
 */
record EmbeddedIdentity(Problems problems, boolean decodes) {
    /** @param resource whether the value itself is a resource, whatever its schema says */
    void check(JsonNode value, JsonNode schema, FieldPath path, boolean resource) {
        Deadline.check();
        if (problems.isFull()) {
            return;
        }
        if (value instanceof ObjectNode object) {
            if (resource || StructuralSchemas.isTrue(schema, "x-kubernetes-embedded-resource")) {
                resource(object, path);
            }
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                JsonNode declared = schema.path("properties").get(field.getKey());
                if (declared != null) {
                    check(field.getValue(), declared, path.child(field.getKey()), false);
                } else if (schema.get("additionalProperties") instanceof ObjectNode entry) {
                    check(field.getValue(), entry, path.key(field.getKey()), false);
                }
            }
        } else if (value instanceof ArrayNode list && schema.get("items") instanceof ObjectNode items) {
            int i = 0;
            for (JsonNode element : list) {
                check(element, items, path.index(i++), false);
            }
        }
    }

    private void resource(ObjectNode object, FieldPath path) {
        for (String field : List.of("apiVersion", "kind")) {
            JsonNode value = object.get(field);
            String at = path.child(field).toString();
            if (value == null) {
                if (!decodes) {
                    problems.required(at);
                }
            } else if (!value.isString()) {
                problems.invalid(at, value, "must be a string");
            } else if (!decodes) {
                text(field, value.stringValue(), at);
            }
        }
        if (object.has("metadata")) {
            metadata(object.get("metadata"), path.child("metadata"));
        }
    }

    private void text(String field, String text, String at) {
        if (text.isEmpty()) {
            problems.invalid(at, text, "must not be empty");
        } else if (field.equals("apiVersion")) {
            if (text.indexOf('/') != text.lastIndexOf('/')) {
                problems.invalid(at, text, "unexpected GroupVersion string: " + text);
            }
        } else {
            List<String> wrong = Formats.dns1035Label(text.toLowerCase(Locale.ROOT));
            if (!wrong.isEmpty()) {
                problems.invalid(at, text,
                        "may have mixed case, but should otherwise match: " + String.join(",", wrong));
            }
        }
    }

    private void metadata(JsonNode metadata, FieldPath path) {
        if (!(metadata instanceof ObjectNode object)) {
            if (!metadata.isNull()) {
                problems.invalid(path.toString(), metadata, "json: cannot unmarshal "
                        + FieldValidation.jsonType(metadata) + " into Go value of type v1.ObjectMeta");
            }
            return;
        }
        try {
            FieldValidation.pruneMetadata(object.deepCopy(), "");
        } catch (FieldValidation.WrongTypeException e) {
            problems.invalid(path.toString(), metadata, String.valueOf(e.getMessage()));
            return;
        }
        if (!decodes) {
            MetadataValidation.embedded(object, path.toString(), problems);
        }
    }

    /** The problems in upstream's words for several errors in one. */
    String joined() {
        List<String> all = problems.causes().stream().map(cause -> cause.field() + ": " + cause.message()).toList();
        return all.size() == 1 ? all.getFirst() : "[" + String.join(", ", all) + "]";
    }

    /** Whether a schema has resources inside. */
    static boolean isAnywhere(JsonNode schema) {
        return !schema.findValues("x-kubernetes-embedded-resource").isEmpty();
    }

    /** An object with one field. */
    static ObjectNode around(String field, JsonNode value) {
        ObjectNode object = Json.object();
        object.set(field, value);
        return object;
    }
}
