package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelRule;
import dev.wheelhouse.cel.RuleException;

/**
 * Checks the schema of a definition: its structure, its defaults, its extensions and its CEL rules (upstream:
 * {@code apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go}). For one thread.
 */
public final class SchemaRules {
    private static final String PREFIX = "x-kubernetes-";
    private static final String VALIDATIONS = PREFIX + "validations";
    private static final List<String> UNSUPPORTED = List.of("id", "additionalItems", "patternProperties", "definitions",
            "dependencies", "$ref");
    private static final Set<String> UNLISTED = Set.of("patternProperties", "definitions");
    private static final String[] REASONS = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
            "FieldValueRequired"};
    private static final Pattern LINE_BREAK = Pattern.compile("[\\n\\r]");
    /** The fields that the root may have beside a subresource for the status, as in Go. */
    private static final String AT_ROOT = "Description Type Format Title Maximum ExclusiveMaximum Minimum "
            + "ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
            + "Properties ExternalDocs Example XPreserveUnknownFields XValidations";
    /** The most that one rule may cost (upstream: {@code StaticEstimatedCostLimit}). */
    private static final long MOST_OF_RULE = 10_000_000;
    /** The most that all rules of a schema may cost (upstream: {@code StaticEstimatedCRDCostLimit}). */
    private static final long MOST_OF_SCHEMA = 100_000_000;

    private final Problems problems = new Problems();
    private final Problems cel = new Problems();
    private final List<Cost> expensive = new ArrayList<>();
    private long total;

    private SchemaRules() {}

    private record Cost(FieldPath path, long cost) {}

    /**
     * Where a schema is.
     *
     * @param noDefaults why it may have no default; null where it may
     * @param insideMeta whether it is inside of the identity of a resource
     * @param uncorrelated the outermost schema whose parts have no old value; null for none
     * @param rules whether CEL rules are compiled
     * @param most how often a value can be in an object; negative if that is unknown
     */
    private record Place(@Nullable String noDefaults, boolean insideMeta, @Nullable FieldPath uncorrelated,
            boolean rules, long most) {
        Place forbidding(String why) {
            return new Place(why, insideMeta, uncorrelated, rules, most);
        }

        Place inMeta() {
            return new Place(noDefaults, true, uncorrelated, rules, most);
        }

        Place uncorrelated(FieldPath path) {
            return uncorrelated != null ? this : new Place(noDefaults, insideMeta, path, rules, most);
        }

        Place withoutRules() {
            return new Place(noDefaults, insideMeta, uncorrelated, false, most);
        }

        Place times(JsonNode schema) {
            long factor = switch (Json.text(schema, "type")) {
                case "object" ->
                    present(schema, "additionalProperties") ? Json.number(schema, -1, "maxProperties") : 1;
                case "array" -> Json.number(schema, -1, "maxItems");
                default -> 1;
            };
            return new Place(noDefaults, insideMeta, uncorrelated, rules,
                    most < 0 || factor < 0 ? -1 : CelRule.product(most, factor));
        }
    }

    /**
     * Adds the problems of a schema and of its CEL rules.
     *
     * @param path the path of the schema in its definition
     * @param status whether the status is a subresource
     */
    public static void check(ObjectNode schema, String path, boolean status, Problems into) {
        SchemaRules rules = new SchemaRules();
        FieldPath at = FieldPath.ROOT.child(path);
        rules.root(schema, at, status);
        boolean convertible = isConvertible(schema);
        boolean structural = convertible && rules.isStructural(schema, at);
        rules.schema(schema, at, new Place(null, false, null, structural, 1), true);
        if (!convertible && rules.problems.isEmpty() && !schema.findValuesAsString("$schema").isEmpty()) {
            into.invalid(path, "", "OpenAPIV3Schema 'schema' is not supported");
        }
        rules.problems.causes().forEach(into::add);
        rules.cel.causes().forEach(into::add);
        if (rules.total > MOST_OF_SCHEMA) {
            rules.expensive.stream().sorted(Comparator.comparingLong(Cost::cost).reversed()).limit(4)
                    .forEach(rule -> into.forbidden(rule.path + "", "contributed to estimated rule cost total exceeding"
                            + " cost limit for entire OpenAPIv3 schema"));
            into.forbidden(path, tooExpensive(VALIDATIONS + " estimated rule cost total for entire OpenAPIv3 schema",
                    rules.total, MOST_OF_SCHEMA));
        }
    }

    /**
     * Checks the fields by which objects can be selected.
     *
     * @return the number of different fields
     */
    public static int selectable(JsonNode fields, JsonNode schema, String path, Problems into) {
        Set<List<String>> seen = new HashSet<>();
        int i = 0;
        for (JsonNode field : fields) {
            String at = Problems.at(path, i++) + ".jsonPath";
            String text = Json.text(field, "jsonPath");
            if (text.isEmpty()) {
                into.required(at);
                continue;
            }
            SchemaPath found = SchemaPath.of(text, schema, false);
            if (!found.error().isEmpty()) {
                into.invalid(at, text, "is an invalid path: " + found.error());
                continue;
            }
            if (found.steps().getFirst().equals("metadata")) {
                into.invalid(at, text, "must not point to fields in metadata");
            }
            if (!List.of("string", "boolean", "integer").contains(Json.text(found.schema(), "type"))) {
                into.invalid(at, text, "must point to a field of type string, boolean or integer. Enum string fields "
                        + "and strings with formats are allowed.");
            }
            if (!seen.add(found.steps())) {
                into.duplicate(at, "\"" + text + "\"");
            }
        }
        return seen.size();
    }

    private void root(ObjectNode schema, FieldPath path, boolean status) {
        if (status && !Json.text(schema, "type").isEmpty() && !Json.text(schema, "type").equals("object")) {
            problems.invalid(path + ".type", schema.get("type"), "only \"object\" is allowed as the type at the root "
                    + "of the schema if the status subresource is enabled");
        } else if (status && schema.properties().stream()
                .anyMatch(field -> isSet(field.getValue()) && !List.of(AT_ROOT.split(" ")).contains(
                        Character.toUpperCase(nameInGo(field.getKey()).charAt(0)) + nameInGo(field.getKey())
                                .substring(1)))) {
            problems.invalid(path.toString(), schema, "only [" + AT_ROOT
                    + "] fields are allowed at the root of the schema if the status subresource is enabled");
        }
        if (StructuralSchemas.isTrue(schema, "nullable")) {
            problems.forbidden(path + ".nullable", "nullable cannot be true at the root");
        }
    }

    private static String nameInGo(String field) {
        return switch (field) {
            case PREFIX + "preserve-unknown-fields" -> "XPreserveUnknownFields";
            case VALIDATIONS -> "XValidations";
            default -> field;
        };
    }

    private static boolean isSet(JsonNode value) {
        return !value.isNull() && !isFalse(value)
                && !(value.isContainer() && value.isEmpty()) && !(value.isString() && value.stringValue().isEmpty());
    }

    private static boolean isFalse(JsonNode value) {
        return value.isBoolean() && !value.booleanValue();
    }

    private static boolean present(JsonNode schema, String field) {
        return schema.hasNonNull(field);
    }

    private boolean isStructural(ObjectNode schema, FieldPath path) {
        Problems found = StructuralRules.check(schema, path);
        if (found.isEmpty()) {
            found = SchemaDefaults.check(schema, path);
        }
        found.causes().forEach(problems::add);
        return found.isEmpty();
    }

    /** Whether a schema has nothing that upstream's structural schemas cannot express. */
    private static boolean isConvertible(JsonNode schema) {
        Deadline.check();
        for (String field : UNSUPPORTED) {
            if (isUnsupported(schema, field)) {
                return false;
            }
        }
        if (schema.path("items").isArray() || !Json.text(schema, "$schema").isEmpty()
                || isFalse(schema.path(PREFIX + "preserve-unknown-fields"))) {
            return false;
        }
        return parts(schema).allMatch(SchemaRules::isConvertible);
    }

    /** The schemas directly inside of a schema. */
    public static Stream<JsonNode> parts(JsonNode schema) {
        return Stream.concat(
                Stream.of("items", "not", "additionalProperties").map(schema::path).filter(JsonNode::isObject),
                Stream.of("properties", "allOf", "anyOf", "oneOf", "patternProperties", "definitions")
                        .flatMap(many -> schema.path(many).valueStream()));
    }

    private static boolean isUnsupported(JsonNode schema, String field) {
        return present(schema, field) && (UNLISTED.contains(field) || field.equals("id")
                ? isSet(schema.path(field))
                : true);
    }

    private void schema(JsonNode schema, FieldPath path, Place place, boolean root) {
        Deadline.check();
        if (problems.isFull()) {
            return;
        }
        int before = problems.size();
        String type = Json.text(schema, "type");
        keywords(schema, path, place);
        parts(schema, path, place, root);
        lists(schema, type, path);
        if (schema.get(VALIDATIONS) instanceof JsonNode rules && !rules.isEmpty()) {
            texts(rules, schema, path);
            if (place.rules && problems.size() == before) {
                compile(rules, schema, path, place, root);
            }
        }
    }

    /** Checks a schema by a set of rules. */
    static void rows(String set, JsonNode schema, FieldPath path, Problems problems) {
        Problems found = new Problems();
        Rules.shared().check(set, schema, null, "", found);
        if (!found.isEmpty()) { // The path of a schema may be long, so it becomes a text only then.
            Rules.shared().check(set, schema, null, path.toString(), problems);
        }
    }

    private void keywords(JsonNode schema, FieldPath path, Place place) {
        rows("JSONSchema", schema, path, problems);
        if (present(schema, "default") && place.noDefaults != null) {
            problems.forbidden(path + ".default", "must not be set " + place.noDefaults);
        }
        if (schema.path("items").isArray()) {
            problems.forbidden(path + ".items", "items must be a schema object and not an array");
        }
        if (place.insideMeta && StructuralSchemas.isTrue(schema, PREFIX + "embedded-resource")) {
            problems.forbidden(path + "." + PREFIX + "embedded-resource", "must not be used inside of resource meta");
        }
    }

    private void parts(JsonNode schema, FieldPath path, Place place, boolean root) {
        Place inner = place.times(schema);
        if (schema.get("additionalProperties") instanceof ObjectNode of) {
            schema(of, path.child("additionalProperties"), place.insideMeta
                    ? inner.forbidding("inside additionalProperties applying to object metadata")
                    : inner, false);
        }
        boolean resource = root || StructuralSchemas.isTrue(schema, PREFIX + "embedded-resource");
        boolean correlated = List.of("", "atomic", "granular").contains(Json.text(schema, PREFIX + "map-type"));
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            Place of = correlated ? inner : inner.uncorrelated(path);
            if (resource && StructuralSchemas.IDENTITY.contains(property.getKey())) {
                of = of.inMeta();
                of = root ? of.forbidding("in top-level " + property.getKey()) : of;
            }
            schema(property.getValue(), path.child("properties").key(property.getKey()), of, false);
        }
        Place plain = place.withoutRules();
        if (schema.get("not") instanceof ObjectNode not) {
            schema(not, path.child("not"), plain, false);
        }
        for (String junctor : List.of("allOf", "oneOf", "anyOf")) {
            int i = 0;
            for (JsonNode part : schema.path(junctor)) {
                schema(part, path.child(junctor).index(i++), plain, false);
            }
        }
        if (schema.get("items") instanceof ObjectNode items) {
            schema(items, path.child("items"), Json.text(schema, PREFIX + "list-type").equals("map")
                    ? inner
                    : inner.uncorrelated(path), false);
        }
    }

    private void lists(JsonNode schema, String type, FieldPath path) {
        String list = Json.text(schema, PREFIX + "list-type");
        JsonNode items = schema.path("items");
        if (type.equals("array") && list.equals("set") && items.isObject()) {
            String rule = "must be atomic as item of a list with x-kubernetes-list-type=set";
            String kind = Json.text(items, PREFIX + "list-type");
            JsonNode shown = items.path(PREFIX + "list-type").isString() ? items.get(PREFIX + "list-type") : null;
            if (Json.text(items, "type").equals("array") && !kind.isEmpty() && !kind.equals("atomic")) {
                problems.invalid(path + ".items." + PREFIX + "list-type", shown, rule);
            } else if (Json.text(items, "type").equals("object")
                    && !Json.text(items, PREFIX + "map-type").equals("atomic")) {
                problems.invalid(path + ".items." + PREFIX + "map-type", shown, rule);
            }
        }
        if (list.equals("map")) {
            mapList(items, schema.path(PREFIX + "list-map-keys"), path);
        }
    }

    private void mapList(JsonNode items, JsonNode keys, FieldPath path) {
        if (items.isMissingNode() || items.isNull()) {
            return;
        }
        if (!items.isObject()) {
            problems.invalid(path + ".items", items, "must only have a single schema if x-kubernetes-list-type is map");
            return;
        }
        if (!Json.text(items, "type").equals("object")) {
            problems.invalid(path + ".items.type", Json.text(items, "type"),
                    "must be object if parent array's x-kubernetes-list-type is map");
        } else {
            keysAreScalars(items, keys, path);
        }
        keysAreSet(items, keys, path.child("items"));
    }

    private void keysAreScalars(JsonNode items, JsonNode keys, FieldPath path) {
        Set<String> seen = new HashSet<>();
        for (JsonNode key : keys) {
            JsonNode property = items.path("properties").path(key.asString(""));
            if (property.isMissingNode()) {
                problems.invalid(path + "." + PREFIX + "list-map-keys", keys,
                        "entries must all be names of item properties");
            } else if (List.of("array", "object").contains(Json.text(property, "type"))) {
                problems.invalid(path + ".items.properties[" + key.asString("") + "].type", "object",
                        "must be a scalar type if parent array's x-kubernetes-list-type is map");
            }
            if (!seen.add(key.asString(""))) {
                problems.invalid(path + "." + PREFIX + "list-map-keys", keys, "must not contain duplicate entries");
            }
        }
    }

    private void keysAreSet(JsonNode items, JsonNode keys, FieldPath path) {
        Set<String> required = new HashSet<>(Json.texts(items.path("required")));
        for (JsonNode key : keys) {
            JsonNode property = items.path("properties").path(key.asString(""));
            FieldPath at = path.child("properties").key(key.asString(""));
            String rule = "this property is in x-kubernetes-list-map-keys, so it ";
            if (property.isObject() && !required.contains(key.asString("")) && !present(property, "default")) {
                problems.required(at + ".default", rule + "must have a default or be a required property");
            }
            if (StructuralSchemas.isTrue(property, "nullable")) {
                problems.forbidden(at + ".nullable", rule + "cannot be nullable");
            }
        }
    }

    /** Checks what the rules of a schema are besides expressions. */
    private void texts(JsonNode rules, JsonNode schema, FieldPath path) {
        int i = 0;
        for (JsonNode rule : rules) {
            String at = path + "." + VALIDATIONS + "[" + i++ + "]";
            String text = Json.text(rule, "rule").strip();
            String message = Json.text(rule, "message");
            String field = Json.text(rule, "fieldPath");
            if (text.isEmpty()) {
                problems.required(at + ".rule", "rule is not specified");
            } else if (!message.isEmpty() && message.isBlank()) {
                problems.invalid(at + ".message", message, "must be non-empty if specified");
            } else if (hasLines(message.strip())) {
                problems.invalid(at + ".message", message, "must not contain line breaks");
            } else if (hasLines(text) && message.isBlank()) {
                problems.required(at + ".message", "message must be specified if rule contains line breaks");
            }
            String expression = Json.text(rule, "messageExpression");
            if (!expression.isEmpty() && expression.isBlank()) {
                problems.required(at + ".messageExpression", "messageExpression must be non-empty if specified");
            }
            if (present(rule, "reason") && !List.of(REASONS).contains(Json.text(rule, "reason"))) {
                problems.notSupported(at + ".reason", Json.text(rule, "reason"), REASONS);
            }
            if (!field.isEmpty() && field.isBlank()) {
                problems.invalid(at + ".fieldPath", field, "must be non-empty if specified");
            }
            if (hasLines(field)) {
                problems.invalid(at + ".fieldPath", field, "must not contain line breaks");
            }
            if (!field.isEmpty() && !SchemaPath.of(field, schema, true).error().isEmpty()) {
                problems.invalid(at + ".fieldPath", field, "must be a valid path");
            }
        }
    }

    private static boolean hasLines(String text) {
        return LINE_BREAK.matcher(text).find();
    }

    private void compile(JsonNode rules, JsonNode schema, FieldPath path, Place place, boolean root) {
        CelRule.Checker checker = new CelRule.Checker(schema,
                root || StructuralSchemas.isTrue(schema, PREFIX + "embedded-resource"));
        if (!checker.isTyped()) {
            cel.add(new StatusCause(path + "." + VALIDATIONS, "InternalError", "Internal error: internal error: failed "
                    + "to construct type information for x-kubernetes-validations rules: unable to convert structural "
                    + "schema to CEL declarations"));
            return;
        }
        int i = 0;
        for (JsonNode rule : rules) {
            FieldPath at = path.child(VALIDATIONS).index(i++);
            try {
                CelRule.Checked checked = checker.rule(rule);
                long often = place.most < 0 ? checker.most() : place.most;
                cost(at.child("rule"), CelRule.product(checked.cost(), often), "estimated rule cost");
                old(checked.usesOld(), rule, at, place);
                if (!Json.text(rule, "messageExpression").isEmpty()) {
                    cost(at.child("messageExpression"), checker.message(rule).cost(),
                            "estimated messageExpression cost");
                }
            } catch (RuleException e) {
                cel.add(() -> new StatusCause(at.child(e.field()).toString(), "FieldValueInvalid",
                        "Invalid value: " + inGo(rule) + ": " + e.getMessage()));
                if (e.field().equals("rule")) {
                    old(false, rule, at, place);
                }
            }
        }
    }

    private void old(boolean used, JsonNode rule, FieldPath at, Place place) {
        if (used && place.uncorrelated != null) {
            cel.invalid(at + ".rule", Json.text(rule, "rule"),
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within " + place.uncorrelated);
        } else if (!used && present(rule, "optionalOldSelf")) {
            cel.invalid(at + ".optionalOldSelf", rule.get("optionalOldSelf"),
                    "may not be set if oldSelf is not used in rule");
        }
    }

    private void cost(FieldPath path, long cost, String name) {
        if (cost > MOST_OF_RULE) {
            cel.forbidden(path.toString(), tooExpensive(name, cost, MOST_OF_RULE));
        }
        total = CelRule.sum(total, cost);
        if (cost >= MOST_OF_SCHEMA / 100) {
            expensive.add(new Cost(path, cost));
        }
    }

    private static String tooExpensive(String name, long cost, long limit) {
        double factor = (double) cost / limit;
        return name + " exceeds budget by factor of "
                + (factor > 100 ? "more than 100x" : String.format(Locale.ROOT, factor < 1.5 ? "%fx" : "%.1fx", factor))
                + " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and"
                + " strings are declared)";
    }

    /** A rule as upstream's messages show it. */
    private static String inGo(JsonNode rule) {
        ObjectNode shown = Json.object().put("Rule", Json.text(rule, "rule"))
                .put("Message", Json.text(rule, "message"))
                .put("MessageExpression", Json.text(rule, "messageExpression"));
        shown.set("Reason", present(rule, "reason") ? rule.get("reason") : NullNode.getInstance());
        shown.put("FieldPath", Json.text(rule, "fieldPath"));
        shown.set("OptionalOldSelf",
                present(rule, "optionalOldSelf") ? rule.get("optionalOldSelf") : NullNode.getInstance());
        return shown.toString().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
    }
}
