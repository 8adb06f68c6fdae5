package dev.wheelhouse.apiserver.resources;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * Checks that the defaults of a structural schema are valid objects of it, without unknown fields (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go}). For one thread.
 */
final class SchemaDefaults {
    private final Problems problems = new Problems();

    private SchemaDefaults() {}

    static Problems check(ObjectNode schema, FieldPath path) {
        SchemaDefaults defaults = new SchemaDefaults();
        defaults.schema(schema, path, new Surroundings(schema, value -> value, false), true);
        return defaults.problems;
    }

    /**
     * The resource around a value.
     *
     * @param schema of the resource
     * @param wrap puts the value into an object like the resource
     * @param inIdentity whether the value is a part of the identity of the resource
     */
    private record Surroundings(JsonNode schema, UnaryOperator<JsonNode> wrap, boolean inIdentity) {
        Surroundings child(String field, boolean identity) {
            return new Surroundings(schema, value -> wrap.apply(EmbeddedIdentity.around(field, value)),
                    inIdentity || identity);
        }

        Surroundings element() {
            return new Surroundings(schema, value -> wrap.apply(Json.array().add(value)), inIdentity);
        }

        JsonNode resource(JsonNode value) {
            if (!(wrap.apply(value.deepCopy()) instanceof ObjectNode object)) {
                return value;
            }
            if (!object.has("kind")) {
                object.put("kind", "Validation");
            }
            if (!object.has("apiVersion")) {
                object.put("apiVersion", "validation/v1");
            }
            return object;
        }
    }

    private void schema(JsonNode schema, FieldPath path, Surroundings outer, boolean root) {
        Deadline.check();
        if (problems.isFull()) {
            return;
        }
        boolean embedded = root || StructuralSchemas.isTrue(schema, "x-kubernetes-embedded-resource");
        Surroundings around = embedded ? new Surroundings(schema, value -> value, false) : outer;
        JsonNode value = schema.get("default");
        if (value != null && !value.isNull()) {
            value(value, schema, path.child("default"), around, embedded);
        }
        if (schema.get("items") instanceof ObjectNode items) {
            schema(items, path.child("items"), around.element(), false);
        }
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            schema(property.getValue(), path.child("properties").key(property.getKey()),
                    around.child(property.getKey(), embedded && StructuralSchemas.IDENTITY.contains(property.getKey())),
                    false);
        }
    }

    private void value(JsonNode value, JsonNode schema, FieldPath path, Surroundings around, boolean embedded) {
        int before = problems.size();
        if (around.inIdentity) {
            EmbeddedIdentity identity = identity(around.resource(value), around.schema, FieldPath.ROOT, true);
            if (!identity.problems().isEmpty()) {
                problems.invalid(path.toString(), value, "must result in valid metadata: " + identity.joined());
            }
        } else {
            JsonNode pruned = value.deepCopy();
            StructuralSchemas.prune(pruned, schema, embedded);
            if (!pruned.equals(value)) {
                problems.invalid(path.toString(), value, "must not have unknown fields");
            }
            before = problems.size();
            identity(value, schema, path, embedded).problems().causes().forEach(problems::add);
        }
        if (problems.size() > before) {
            return;
        }
        List<StatusCause> wrong = CustomValidation.check(path.toString(), value, null, schema);
        wrong.forEach(problems::add);
        RuleValidation rules = new RuleValidation(schema);
        if (wrong.isEmpty() && !rules.isEmpty()) {
            rules.check(value, null, path.toString(), embedded).forEach(problems::add);
        }
    }

    /** The wrong types of identities; or if there are none, all else that is wrong with them. */
    private static EmbeddedIdentity identity(JsonNode value, JsonNode schema, FieldPath path, boolean resource) {
        EmbeddedIdentity decoded = new EmbeddedIdentity(new Problems(), true);
        decoded.check(value, schema, path, resource);
        if (!decoded.problems().isEmpty()) {
            return decoded;
        }
        EmbeddedIdentity identity = new EmbeddedIdentity(new Problems(), false);
        identity.check(value, schema, path, resource);
        return identity;
    }
}
