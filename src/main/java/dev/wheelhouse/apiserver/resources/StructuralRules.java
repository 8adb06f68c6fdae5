package dev.wheelhouse.apiserver.resources;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.UserPattern;

/**
 * Checks that a schema is structural, so that objects can be pruned and defaulted by it (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/schema/validation.go}). For one thread.
 */
final class StructuralRules {
    private static final String PREFIX = "x-kubernetes-";
    /** The alternatives that may have types, because they mean what {@code x-kubernetes-int-or-string} does. */
    private static final JsonNode INT_OR_STRING = Json.read("[{\"type\":\"integer\"},{\"type\":\"string\"}]");
    private final Problems problems = new Problems();

    private StructuralRules() {}

    /** The problems of a schema, in upstream's order. */
    static Problems check(ObjectNode schema, FieldPath path) {
        StructuralRules rules = new StructuralRules();
        rules.schema(schema, path, "root");
        rules.complete(schema, schema, path, path);
        Problems sorted = new Problems();
        rules.problems.causes().stream()
                .sorted(Comparator.comparing(cause -> cause.field() + ": " + cause.message())).forEach(sorted::add);
        return sorted;
    }

    /** @param level {@code root}, {@code item} or {@code field} */
    private void schema(JsonNode schema, FieldPath path, String level) {
        Deadline.check();
        if (problems.isFull()) {
            return;
        }
        boolean embedded = StructuralSchemas.isTrue(schema, PREFIX + "embedded-resource");
        String type = Json.text(schema, "type");
        type(schema, type, path, level);
        SchemaRules.rows("StructuralSchema", schema, path, problems);
        if (schema.get("items") instanceof ObjectNode items) {
            schema(items, path.child("items"), "item");
        }
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            schema(property.getValue(), path.child("properties").key(property.getKey()), "field");
        }
        if (schema.hasNonNull("additionalProperties")) {
            if (level.equals("root")) {
                problems.forbidden(path + ".additionalProperties", "must not be used at the root");
            }
            if (schema.get("additionalProperties") instanceof ObjectNode of) {
                schema(of, path.child("additionalProperties"), "field");
            }
        }
        values(schema, path, INT_OR_STRING.equals(schema.get("anyOf")),
                INT_OR_STRING.equals(schema.path("allOf").path(0).get("anyOf")));
        identity(schema.path("properties"), path, level.equals("root"), embedded);
    }

    private void type(JsonNode schema, String type, FieldPath path, String level) {
        if (type.isEmpty() && Stream.of("embedded-resource", "int-or-string", "preserve-unknown-fields")
                .noneMatch(flag -> StructuralSchemas.isTrue(schema, PREFIX + flag))) {
            problems.required(path + ".type", switch (level) {
                case "root" -> "must not be empty at the root";
                case "item" -> "must not be empty for specified array items";
                default -> "must not be empty for specified object fields";
            });
        }
        if (level.equals("root") && !type.isEmpty() && !type.equals("object")) {
            problems.invalid(path + ".type", schema.get("type"), "must be object at the root");
        }
    }

    /** Checks what a schema says about the identity of a resource. */
    private void identity(JsonNode properties, FieldPath path, boolean root, boolean embedded) {
        for (String field : List.of("kind", "apiVersion", "metadata")) {
            String type = field.equals("metadata") ? "object" : "string";
            JsonNode declared = properties.get(field);
            if (declared != null && (root || embedded) && !Json.text(declared, "type").equals(type)) {
                problems.invalid(path + ".properties[" + field + "].type", Json.text(declared, "type"),
                        "must be " + type);
            }
        }
        if (root && properties.get("metadata") instanceof ObjectNode metadata && !onlyNames(metadata)) {
            problems.forbidden(path + ".properties[metadata]",
                    "must not specify anything other than name and generateName, but metadata is implicitly specified");
        }
    }

    private static boolean onlyNames(ObjectNode metadata) {
        for (Map.Entry<String, JsonNode> field : metadata.properties()) {
            boolean names = field.getKey().equals("properties")
                    && Set.of("name", "generateName").containsAll(field.getValue().propertyNames());
            if (!names && !field.getKey().equals("type") && !field.getKey().equals("default")) {
                return false;
            }
        }
        return true;
    }

    /** Checks the pattern, and that schemas below a junctor only restrict values. */
    private void values(JsonNode schema, FieldPath path, boolean skipsAny, boolean skipsAnyOfFirst) {
        for (String junctor : List.of("allOf", "anyOf", "oneOf")) {
            if (schema.get(junctor) instanceof ArrayNode parts && !(skipsAny && junctor.equals("anyOf"))) {
                int i = 0;
                for (JsonNode part : parts) {
                    restriction(part, path.child(junctor).index(i), skipsAnyOfFirst && i == 0
                            && junctor.equals("allOf"));
                    i++;
                }
            }
        }
        restriction(schema.get("not"), path.child("not"), false);
        String pattern = Json.text(schema, "pattern");
        try {
            UserPattern.of(pattern);
        } catch (UserPattern.PatternException e) {
            problems.invalid(path + ".pattern", schema.path("pattern"),
                    "must be a valid regular expression, but isn't: " + e.getMessage());
        }
    }

    /**
     * Checks that the schema declares what its junctors restrict, at the root alone, as upstream.
     *
     * @param part the schema, or one below its junctors
     * @param declared the schema of what the part restricts, which is at a path
     * @param where the path of the part
     */
    private void complete(@Nullable JsonNode part, @Nullable JsonNode declared, FieldPath at, FieldPath where) {
        Deadline.check();
        if (!(part instanceof ObjectNode) || problems.isFull()) {
            return;
        }
        if (declared == null) {
            problems.required(at.toString(), "because it is defined in " + where);
            return;
        }
        complete(part.get("not"), declared, at, where.child("not"));
        for (String junctor : List.of("allOf", "anyOf", "oneOf")) {
            int i = 0;
            for (JsonNode each : part.path(junctor)) {
                complete(each, declared, at, where.child(junctor).index(i++));
            }
        }
        if (!where.equals(at)) {
            complete(part.get("items"), declared.get("items"), at.child("items"), where.child("items"));
            part.path("properties").properties().forEach(property -> complete(property.getValue(),
                    declared.path("properties").get(property.getKey()), at.child("properties").key(property.getKey()),
                    where.child("properties").key(property.getKey())));
        }
    }

    private void restriction(@Nullable JsonNode schema, FieldPath path, boolean skipsAny) {
        Deadline.check();
        if (!(schema instanceof ObjectNode) || problems.isFull()) {
            return;
        }
        values(schema, path, skipsAny, false);
        restriction(schema.get("items"), path.child("items"), false);
        schema.path("properties").properties()
                .forEach(p -> restriction(p.getValue(), path.child("properties").key(p.getKey()), false));
        SchemaRules.rows("NestedSchema", schema, path, problems);
    }
}
