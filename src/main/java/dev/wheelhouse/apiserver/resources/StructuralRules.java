package dev.wheelhouse.apiserver.resources;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
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
public final class StructuralRules {
    private static final Set<String> LIST_TYPES = Set.of("atomic", "set", "map");
    private static final String PREFIX = "x-kubernetes-";
    private final Problems problems = new Problems();

    private StructuralRules() {}

    /**
     * Adds the problems of a schema and of its CEL rules.
     *
     * @param path the path of the schema in its definition
     */
    public static void check(ObjectNode schema, String path, Problems problems) {
        StructuralRules rules = new StructuralRules();
        FieldPath at = FieldPath.ROOT.child(path);
        rules.schema(schema, at, "root");
        RuleValidation.compile(schema, at, true, rules.problems);
        rules.problems.causes().stream().sorted(Comparator.comparing(cause -> cause.field() + cause.message()))
                .forEach(problems::add);
    }

    /** @param level {@code root}, {@code item} or {@code field} */
    private void schema(JsonNode schema, FieldPath path, String level) {
        Deadline.check();
        if (problems.isFull()) {
            return;
        }
        String type = Json.text(schema, "type");
        type(schema, type, path, level);
        if (type.equals("array") && !schema.has("items")) {
            problems.required(path + ".items", "must be specified");
        }
        if (schema.get("items") instanceof ObjectNode items) {
            schema(items, path.child("items"), "item");
        }
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            schema(property.getValue(), path.child("properties").key(property.getKey()), "field");
        }
        additional(schema, path, level);
        extensions(schema, type, path);
        junctors(schema, path);
        pattern(schema, path);
        if (level.equals("root") && schema.path("properties").get("metadata") instanceof ObjectNode metadata
                && !onlyNames(metadata)) {
            problems.forbidden(path + ".properties[metadata]",
                    "must not specify anything other than name and generateName, but metadata is implicitly specified");
        }
    }

    private void type(JsonNode schema, String type, FieldPath path, String level) {
        boolean embedded = StructuralSchemas.isTrue(schema, PREFIX + "embedded-resource");
        if (embedded && !type.equals("object")) {
            String rule = "must be object if x-kubernetes-embedded-resource is true";
            if (type.isEmpty()) {
                problems.required(path + ".type", rule);
            } else {
                problems.invalid(path + ".type", schema.get("type"), rule);
            }
        } else if (type.isEmpty() && !StructuralSchemas.isTrue(schema, PREFIX + "int-or-string")
                && !StructuralSchemas.isTrue(schema, PREFIX + "preserve-unknown-fields")) {
            problems.required(path + ".type", switch (level) {
                case "root" -> "must not be empty at the root";
                case "item" -> "must not be empty for specified array items";
                default -> "must not be empty for specified object fields";
            });
        } else if (level.equals("root") && !type.isEmpty() && !type.equals("object")) {
            problems.invalid(path + ".type", schema.get("type"), "must be object at the root");
        }
        if (embedded && !StructuralSchemas.isTrue(schema, PREFIX + "preserve-unknown-fields")
                && schema.path("properties").isEmpty()) {
            problems.required(path + ".properties", "must not be empty if x-kubernetes-embedded-resource is true "
                    + "without x-kubernetes-preserve-unknown-fields");
        }
    }

    private void additional(JsonNode schema, FieldPath path, String level) {
        if (!(schema.get("additionalProperties") instanceof JsonNode additional)) {
            return;
        }
        if (level.equals("root")) {
            problems.forbidden(path + ".additionalProperties", "must not be used at the root");
        }
        // Upstream accepts true beside properties, although it makes the properties meaningless.
        if (!schema.path("properties").isEmpty() && !additional.asBoolean(false)) {
            problems.forbidden(path + ".additionalProperties",
                    "additionalProperties and properties are mutual exclusive");
        }
        if (additional instanceof ObjectNode of) {
            schema(of, path.child("additionalProperties"), "field");
        }
    }

    private static boolean onlyNames(ObjectNode metadata) {
        for (Map.Entry<String, JsonNode> field : metadata.properties()) {
            boolean names = field.getKey().equals("properties")
                    && Set.of("name", "generateName").containsAll(field.getValue().propertyNames());
            if (!names && !field.getKey().equals("type")) {
                return false;
            }
        }
        return true;
    }

    private void extensions(JsonNode schema, String type, FieldPath path) {
        if (StructuralSchemas.isTrue(schema, PREFIX + "int-or-string")) {
            for (String other : List.of("preserve-unknown-fields", "embedded-resource")) {
                if (StructuralSchemas.isTrue(schema, PREFIX + other)) {
                    problems.invalid(path + "." + PREFIX + other, schema.get(PREFIX + other),
                            "must be false if x-kubernetes-int-or-string is true");
                }
            }
        }
        String list = Json.text(schema, PREFIX + "list-type");
        JsonNode keys = schema.path(PREFIX + "list-map-keys");
        if (!list.isEmpty()) {
            if (!type.equals("array")) {
                problems.invalid(path + ".type", schema.path("type"),
                        "must be array if x-kubernetes-list-type is specified");
            }
            if (!LIST_TYPES.contains(list)) {
                problems.notSupported(path + "." + PREFIX + "list-type", list, "atomic", "map", "set");
            }
        }
        if (list.equals("map")) {
            mapList(schema, keys, path);
        } else if (!keys.isEmpty()) {
            problems.forbidden(path + "." + PREFIX + "list-type",
                    "must be map if x-kubernetes-list-map-keys is non-empty");
        }
    }

    private void mapList(JsonNode schema, JsonNode keys, FieldPath path) {
        JsonNode items = schema.path("items");
        if (keys.isEmpty()) {
            problems.required(path + "." + PREFIX + "list-map-keys",
                    "must not be empty if x-kubernetes-list-type is map");
        }
        if (!items.isMissingNode() && !Json.text(items, "type").equals("object")) {
            problems.invalid(path + ".items.type", items.path("type"),
                    "must be object if parent array's x-kubernetes-list-type is map");
        }
        for (JsonNode key : keys) {
            String name = key.asString("");
            JsonNode property = items.path("properties").path(name);
            if (property.isMissingNode()) {
                problems.invalid(path + "." + PREFIX + "list-map-keys", key,
                        "entries must all be names of item properties");
                continue;
            }
            if (!property.has("default") && !Json.texts(items.path("required")).contains(name)) {
                problems.required(path + ".items.properties[" + name + "].default",
                        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a "
                                + "required property");
            }
        }
    }

    /** Checks that schemas below a junctor only restrict values. */
    private void junctors(JsonNode schema, FieldPath path) {
        for (String junctor : List.of("allOf", "anyOf", "oneOf")) {
            if (!StructuralSchemas.isTrue(schema, PREFIX + "int-or-string")) {
                int i = 0;
                for (JsonNode part : schema.path(junctor)) {
                    restriction(part, path.child(junctor).index(i++));
                }
            }
        }
        if (schema.get("not") instanceof ObjectNode not) {
            restriction(not, path.child("not"));
        }
    }

    private void restriction(JsonNode schema, FieldPath path) {
        Deadline.check();
        if (problems.isFull()) {
            return;
        }
        for (String field : List.of("type", "title", "description")) {
            if (schema.has(field)) {
                problems.forbidden(path + "." + field, "must be empty to be structural");
            }
        }
        for (String field : List.of("default", "additionalProperties")) {
            if (schema.has(field)) {
                problems.forbidden(path + "." + field, "must be undefined to be structural");
            }
        }
        if (StructuralSchemas.isTrue(schema, "nullable")) {
            problems.forbidden(path + ".nullable", "must be false to be structural");
        }
        if (schema.get("items") instanceof ObjectNode items) {
            restriction(items, path.child("items"));
        }
        schema.path("properties").properties()
                .forEach(p -> restriction(p.getValue(), path.child("properties").key(p.getKey())));
        junctors(schema, path);
    }

    private void pattern(JsonNode schema, FieldPath path) {
        String pattern = Json.text(schema, "pattern");
        try {
            UserPattern.of(pattern);
        } catch (UserPattern.PatternException e) {
            problems.invalid(path + ".pattern", schema.path("pattern"),
                    "must be a valid regular expression, but isn't: " + e.getMessage());
        }
    }
}
