package dev.wheelhouse.apiserver.resources;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonKey;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.validation.TextFormats;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.UserPattern;

/**
 * Validates a custom object by its OpenAPI schema, in upstream's words (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/validation}, {@code kube-openapi/pkg/validation}).
 * {@link RuleValidation} evaluates CEL rules. For one thread.
 */
final class CustomValidation {
    private final Problems problems = new Problems();
    /** The values of enumerations, by the schema that lists them. */
    private final Map<JsonNode, Set<String>> enumerations;

    /** The path of the value in what contains it; empty for an object. */
    private final String base;

    private CustomValidation(String base, Map<JsonNode, Set<String>> enumerations) {
        this.base = base;
        this.enumerations = enumerations;
    }

    /**
     * The violations of a value.
     *
     * @param base the path of the value in what contains it; empty for an object
     * @param old the present value, or null; values equal to those in it are not checked again. List elements are
     *     matched by their keys; without keys they are always checked.
     */
    static List<StatusCause> check(String base, JsonNode value, @Nullable JsonNode old, JsonNode schema) {
        CustomValidation validation = new CustomValidation(base, new IdentityHashMap<>());
        validation.value(value, old, schema, FieldPath.ROOT);
        return validation.problems.causes();
    }

    private boolean fits(JsonNode value, JsonNode schema, FieldPath path) {
        return failures(value, schema, path).isEmpty();
    }

    private List<StatusCause> failures(JsonNode value, JsonNode schema, FieldPath path) {
        CustomValidation trial = new CustomValidation(base, enumerations);
        trial.value(value, null, schema, path);
        return trial.problems.causes();
    }

    private void value(JsonNode value, @Nullable JsonNode old, JsonNode schema, FieldPath path) {
        Deadline.check();
        if (problems.isFull() || value.equals(old)) {
            return;
        }
        if (!value.isNull() || !StructuralSchemas.isTrue(schema, "nullable")) {
            type(value, schema, path);
        }
        if (value.isNull()) {
            enumeration(value, schema, path);
            return;
        }
        combined(value, schema, path);
        if (value.isString()) {
            text(value.stringValue(), schema, path);
        } else if (value.isNumber()) {
            number(value, schema, path);
        } else if (value instanceof ArrayNode array) {
            list(array, old, schema, path);
        }
        enumeration(value, schema, path);
        if (value instanceof ObjectNode object) {
            object(object, old, schema, path);
        }
    }

    /** Checks the type; as upstream, texts and lists pass where a format is known that is not one of numbers. */
    private void type(JsonNode value, JsonNode schema, FieldPath path) {
        String format = format(schema);
        boolean either = StructuralSchemas.isTrue(schema, "x-kubernetes-int-or-string");
        String type = either ? "integer,string" : Json.text(schema, "type");
        boolean exempt = !format.isEmpty() && !type.equals("integer") && !type.equals("number")
                && (value.isString() || value.isArray());
        if (exempt || (either ? value.isString() || isOfType(value, "integer") : isOfType(value, type))) {
            return;
        }
        boolean formed = !format.isEmpty() && !value.isString() && !value.isArray() && !value.isNull();
        String given = typeOf(value);
        String actual = formed
                ? switch (given) {
                    case "integer" -> "int64";
                    case "number" -> "float64";
                    default -> "";
                }
                : given;
        problems.add(() -> new StatusCause(field(path), "FieldValueTypeInvalid", "Invalid value: \"" + actual + "\": "
                + path + (path.isRoot() && base.isEmpty() ? "" : " ") + "in body must be of type "
                + (formed ? format : type) + ": \"" + actual + "\""));
    }

    /** The format of a schema, if upstream knows it for the type. */
    private static String format(JsonNode schema) {
        String format = Json.text(schema, "format");
        return TextFormats.isKnown(Json.text(schema, "type"), format) ? format : "";
    }

    private static boolean isOfType(JsonNode value, String type) {
        return switch (type) {
            case "string" -> value.isString();
            case "integer" -> value.isNumber() && value.canConvertToLong()
                    && (value.isIntegralNumber() || value.decimalValue().stripTrailingZeros().scale() <= 0)
                    && value.doubleValue() < (value.isIntegralNumber() ? Double.MAX_VALUE : 0x1p63);
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "array" -> value.isArray();
            case "object" -> value.isObject();
            default -> type.isEmpty();
        };
    }

    private static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() && value.canConvertToLong() ? "integer" : "number";
            case STRING, BOOLEAN, ARRAY, NULL -> value.getNodeType().name().toLowerCase(Locale.ROOT);
            default -> "object";
        };
    }

    private String field(FieldPath path) {
        if (base.isEmpty()) {
            return path.isRoot() ? "<nil>" : path.toString();
        }
        return path.isRoot() ? base : base + "." + path;
    }

    private void invalid(FieldPath path, JsonNode value, String what) {
        problems.add(() -> new StatusCause(field(path), "FieldValueInvalid",
                "Invalid value: " + value + ": " + path + " in body " + what));
    }

    private void enumeration(JsonNode value, JsonNode schema, FieldPath path) {
        if (!(schema.get("enum") instanceof ArrayNode allowed)) {
            return;
        }
        Set<String> keys = enumerations.computeIfAbsent(schema, s -> {
            Set<String> all = HashSet.newHashSet(allowed.size());
            allowed.forEach(one -> all.add(JsonKey.of(one)));
            return all;
        });
        // As upstream, null is none of the values, even if they list it.
        if (value.isNull() || !keys.contains(JsonKey.of(value))) {
            problems.add(() -> {
                List<String> texts = new ArrayList<>();
                allowed.forEach(one -> texts.add(one.isString() ? one.toString() : "\"" + one + "\""));
                return new StatusCause(field(path), "FieldValueNotSupported",
                        "Unsupported value: " + value + ": supported values: " + String.join(", ", texts));
            });
        }
    }

    private void text(String value, JsonNode schema, FieldPath path) {
        JsonNode node = StringNode.valueOf(value);
        int length = value.codePointCount(0, value.length());
        String pattern = Json.text(schema, "pattern");
        if (schema.has("maxLength") && length > Json.number(schema, 0, "maxLength")) {
            problems.add(() -> new StatusCause(field(path), "FieldValueTooLong",
                    "Too long: may not be more than " + schema.get("maxLength") + " bytes"));
        } else if (schema.has("minLength") && length < Json.number(schema, 0, "minLength")) {
            invalid(path, node, "should be at least " + schema.get("minLength") + " chars long");
        } else if (!pattern.isEmpty() && !matches(pattern, value)) {
            invalid(path, node, "should match '" + pattern + "'");
        }
        String format = format(schema);
        if (!TextFormats.isValid(format, value)) {
            problems.add(() -> new StatusCause(field(path), "FieldValueTypeInvalid",
                    "Invalid value: " + node + ": " + path + " in body must be of type " + format + ": " + node));
        }
    }

    private static boolean matches(String pattern, String value) {
        try {
            return UserPattern.of(pattern).isIn(value);
        } catch (UserPattern.PatternException e) {
            return true; // The definition is at fault, not the object.
        }
    }

    private void number(JsonNode value, JsonNode schema, FieldPath path) {
        BigDecimal number = value.decimalValue();
        String type = Json.text(schema, "type");
        String format = format(schema);
        boolean range = type.equals("integer")
                ? number.stripTrailingZeros().scale() <= 0
                        && (format.equals("int32") ? value.canConvertToInt() : value.canConvertToLong())
                : !format.equals("float") || Math.abs(number.doubleValue()) <= Float.MAX_VALUE;
        if (!range) {
            problems.add(() -> new StatusCause(field(FieldPath.ROOT), "FieldValueInvalid",
                    "Invalid value: \"\": Checked value must be of type " + type
                            + (format.isEmpty() ? " (default format)" : " with format " + format) + " in " + path));
        }
        JsonNode factor = schema.path("multipleOf");
        if (factor.isNumber() && factor.decimalValue().signum() > 0
                && number.remainder(factor.decimalValue()).signum() != 0) {
            invalid(path, value, "should be a multiple of " + factor);
        }
        bound(value, schema, "minimum", "exclusiveMinimum", 1, "should be greater than ", path);
        bound(value, schema, "maximum", "exclusiveMaximum", -1, "should be less than ", path);
    }

    /** @param sign of the order of a valid number and the bound, unless they are equal */
    private void bound(JsonNode value, JsonNode schema, String bound, String exclusion, int sign, String rule,
            FieldPath path) {
        JsonNode limit = schema.path(bound);
        if (limit.isNumber()) {
            boolean exclusive = StructuralSchemas.isTrue(schema, exclusion);
            int order = sign * value.decimalValue().compareTo(limit.decimalValue());
            if (order < 0 || exclusive && order == 0) {
                invalid(path, value, rule + (exclusive ? "" : "or equal to ") + limit);
            }
        }
    }

    private void list(ArrayNode array, @Nullable JsonNode old, JsonNode schema, FieldPath path) {
        if (schema.get("items") instanceof ObjectNode items) {
            Map<String, JsonNode> before = RuleValidation.ListMaps.byKeys(old, schema);
            for (int i = 0; i < array.size() && !problems.isFull(); i++) {
                value(array.get(i), RuleValidation.ListMaps.find(before, array.get(i), schema), items, path.index(i));
            }
        }
        if (schema.has("minItems") && array.size() < Json.number(schema, 0, "minItems")) {
            invalid(path, IntNode.valueOf(array.size()), "should have at least " + schema.get("minItems") + " items");
        }
        tooMany(array.size(), schema, "maxItems", path);
        duplicates(array, schema, path);
    }

    private void duplicates(ArrayNode array, JsonNode schema, FieldPath path) {
        String kind = Json.text(schema, "x-kubernetes-list-type");
        boolean map = kind.equals("map");
        if (!map && !kind.equals("set")) {
            return;
        }
        for (int i = 0; map && i < array.size(); i++) {
            JsonNode element = array.get(i);
            if (!element.isObject() && !element.isNull()) {
                FieldPath at = path.index(i);
                problems.add(() -> new StatusCause(field(at), "FieldValueInvalid", "Invalid value: " + element
                        + ": must be an object for an array of list-type map"));
                return;
            }
        }
        Map<String, Integer> seen = HashMap.newHashMap(array.size());
        for (int i = 0; i < array.size(); i++) {
            JsonNode key = map ? RuleValidation.ListMaps.keys(array.get(i), schema) : array.get(i);
            if (seen.merge(JsonKey.of(key), 1, Integer::sum) == 2) {
                FieldPath at = path.index(i);
                problems.add(() -> new StatusCause(field(at), "FieldValueDuplicate", "Duplicate value: " + key));
            }
        }
    }

    private void tooMany(int size, JsonNode schema, String limit, FieldPath path) {
        if (schema.has(limit) && size > Json.number(schema, 0, limit)) {
            problems.add(() -> new StatusCause(field(path), "FieldValueTooMany",
                    "Too many: " + size + ": must have at most " + schema.get(limit)
                            + (Json.number(schema, 0, limit) == 1 ? " item" : " items")));
        }
    }

    private void object(ObjectNode object, @Nullable JsonNode old, JsonNode schema, FieldPath path) {
        for (JsonNode name : schema.path("required")) {
            if (!object.has(name.asString(""))) {
                problems.add(() -> new StatusCause(field(path.child(name.asString(""))), "FieldValueRequired",
                        "Required value"));
            }
        }
        if (schema.has("minProperties") && object.size() < Json.number(schema, 0, "minProperties")) {
            invalid(path, IntNode.valueOf(object.size()),
                    "should have at least " + schema.get("minProperties") + " properties");
        }
        tooMany(object.size(), schema, "maxProperties", path);
        boolean root = path.isRoot() && base.isEmpty();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            JsonNode of = StructuralSchemas.property(schema, field.getKey());
            if (of != null && !(root && field.getKey().equals("metadata") && !of.has("properties"))) {
                value(field.getValue(), old == null ? null : old.get(field.getKey()), of, path.child(field.getKey()));
            }
        }
    }

    private void combined(JsonNode value, JsonNode schema, FieldPath path) {
        int unfit = 0;
        for (JsonNode all : schema.path("allOf")) {
            int before = problems.size();
            value(value, null, all, path);
            unfit += problems.size() > before ? 1 : 0;
        }
        if (unfit > 0) {
            unfit(path, "must validate all the schemas (allOf)"
                    + (unfit == schema.path("allOf").size() ? ". None validated" : ""));
        }
        if (schema.get("anyOf") instanceof ArrayNode any && !StructuralSchemas.isTrue(schema,
                "x-kubernetes-int-or-string")) {
            if (any.valueStream().noneMatch(choice -> fits(value, choice, path))) {
                unfit(path, "must validate at least one schema (anyOf)");
                failures(value, any.path(0), path).forEach(problems::add);
            }
        }
        if (schema.get("oneOf") instanceof ArrayNode choices) {
            long count = choices.valueStream().filter(choice -> fits(value, choice, path)).count();
            if (count != 1) {
                unfit(path, "must validate one and only one schema (oneOf)"
                        + (count == 0 ? ". Found none valid" : ". Found " + count + " valid alternatives"));
                if (count == 0) {
                    failures(value, choices.path(0), path).forEach(problems::add);
                }
            }
        }
        if (schema.get("not") instanceof ObjectNode not && fits(value, not, path)) {
            unfit(path, "must not validate the schema (not)");
        }
    }

    private void unfit(FieldPath path, String what) {
        problems.add(() -> new StatusCause(field(FieldPath.ROOT), "FieldValueInvalid",
                "Invalid value: \"\": \"" + path + "\" " + what));
    }
}
