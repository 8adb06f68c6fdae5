package dev.wheelhouse.apiserver.resources;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonKey;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelRule;
import dev.wheelhouse.cel.CelValues;
import dev.wheelhouse.cel.RuleException;

/**
 * Evaluates the CEL rules of a schema on objects (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go}). An unchanged value is checked only by
 * transition rules, which refer to the old value. Each rule is compiled once. Safe for use by many threads.
 */
final class RuleValidation {
    private static final String RULES = "x-kubernetes-validations";
    private final JsonNode schema;
    private final boolean any;
    private final Map<JsonNode, CelRule> compiled = new ConcurrentHashMap<>();

    RuleValidation(@Nullable JsonNode schema) {
        this.schema = schema == null ? Json.object() : schema;
        this.any = schema != null && !schema.findValues(RULES).isEmpty();
    }

    boolean isEmpty() {
        return !any;
    }

    /** @param old the present object, or null */
    List<StatusCause> check(ObjectNode object, @Nullable ObjectNode old) {
        if (!any) {
            return List.of();
        }
        return check(object, old, "", true);
    }

    /**
     * Checks a value that is not an object of its own.
     *
     * @param base the path of the value in what contains it
     * @param resource whether the value is a whole resource
     */
    List<StatusCause> check(JsonNode value, @Nullable JsonNode old, String base, boolean resource) {
        Walk walk = new Walk(base, resource);
        walk.value(value, old, schema, FieldPath.ROOT);
        return walk.problems.causes();
    }

    private final class Walk {
        final Problems problems = new Problems();
        private final CelBudget budget = CelBudget.ofValidations();
        private final String base;
        private final boolean resource;

        Walk(String base, boolean resource) {
            this.base = base;
            this.resource = resource;
        }

        private String at(FieldPath path) {
            return base + (base.isEmpty() || path.isRoot() ? "" : ".") + path;
        }

        void value(JsonNode value, @Nullable JsonNode old, JsonNode of, FieldPath path) {
            Deadline.check();
            if (value.isNull() || budget.isSpent() || problems.isFull()) {
                return;
            }
            if (of.get(RULES) instanceof ArrayNode rules) {
                rules(value, old, of, rules, path);
            }
            if (value instanceof ObjectNode object) {
                for (Map.Entry<String, JsonNode> field : object.properties()) {
                    JsonNode declared = of.path("properties").get(field.getKey());
                    JsonNode before = old == null ? null : old.get(field.getKey());
                    if (declared != null) {
                        value(field.getValue(), before, declared, path.child(field.getKey()));
                    } else if (of.get("additionalProperties") instanceof ObjectNode entry) {
                        value(field.getValue(), before, entry, path.key(field.getKey()));
                    }
                }
            } else if (value instanceof ArrayNode list && of.get("items") instanceof ObjectNode items) {
                Map<String, JsonNode> before = ListMaps.byKeys(old, of);
                int i = 0;
                for (JsonNode element : list) {
                    value(element, ListMaps.find(before, element, of), items, path.index(i++));
                }
            }
        }

        private void rules(JsonNode value, @Nullable JsonNode old, JsonNode of, ArrayNode rules, FieldPath path) {
            Object self = CelValues.of(value, of, path.isRoot() && resource);
            Object oldSelf = old == null || old.isNull() ? null : CelValues.of(old, of, path.isRoot() && resource);
            String type = Json.text(of, "type");
            for (JsonNode text : rules) {
                CelRule rule = compiled(text);
                if (rule == null || rule.needsOld() && oldSelf == null || !rule.isTransition() && value.equals(old)) {
                    continue;
                }
                String problem = rule.check(self, oldSelf, budget);
                if (problem != null) {
                    problems.add(() -> cause(rule, at(path), type, value, problem));
                }
                if (budget.isSpent()) {
                    if (problem == null) {
                        problems.add(() -> new StatusCause(field(at(path)), "FieldValueInvalid",
                                "Invalid value: \""
                                        + type + "\": validation failed due to running out of cost budget, no further"
                                        + " validation rules will be run"));
                    }
                    return;
                }
            }
        }

        private @Nullable CelRule compiled(JsonNode rule) {
            CelRule known = compiled.get(rule);
            if (known != null) {
                return known;
            }
            try {
                CelRule made = CelRule.compile(rule);
                compiled.put(rule, made);
                return made;
            } catch (RuleException e) {
                return null; // Unreachable for stored definitions: their rules compile.
            }
        }
    }

    private static String field(String path) {
        return path.isEmpty() ? "<nil>" : path;
    }

    private static StatusCause cause(CelRule rule, String path, String type, JsonNode value, String problem) {
        if (rule.isError(problem)) {
            return new StatusCause(field(path), "FieldValueInvalid", "Invalid value: \"" + type + "\": " + problem);
        }
        String shown = value.isContainer() ? "" : ": " + value;
        String below = rule.fieldPath().replace("['", "[").replace("']", "]");
        String at = path.isEmpty() ? below.replaceFirst("^\\.", "") : path + below;
        return switch (rule.reason()) {
            case "FieldValueForbidden" -> new StatusCause(field(at), rule.reason(), "Forbidden: " + problem);
            case "FieldValueRequired" -> new StatusCause(field(at), rule.reason(), "Required value: " + problem);
            case "FieldValueDuplicate" ->
                new StatusCause(field(at), rule.reason(), "Duplicate value" + shown);
            default -> new StatusCause(field(at), "FieldValueInvalid", "Invalid value" + shown + ": " + problem);
        };
    }

    /** Finds elements of lists of type {@code map} by their keys. */
    static final class ListMaps {
        private ListMaps() {}

        static Map<String, JsonNode> byKeys(@Nullable JsonNode list, JsonNode schema) {
            Map<String, JsonNode> byKeys = new HashMap<>();
            if (list != null && Json.text(schema, "x-kubernetes-list-type").equals("map")) {
                list.forEach(element -> byKeys.put(JsonKey.of(keys(element, schema)), element));
            }
            return byKeys;
        }

        /** The element with the same keys as the given one; null if there is none. */
        static @Nullable JsonNode find(Map<String, JsonNode> byKeys, JsonNode element, JsonNode schema) {
            return byKeys.isEmpty() ? null : byKeys.get(JsonKey.of(keys(element, schema)));
        }

        static JsonNode keys(JsonNode element, JsonNode schema) {
            ObjectNode keys = Json.object();
            schema.path("x-kubernetes-list-map-keys").forEach(
                    key -> keys.set(key.asString(""), element.path(key.asString(""))));
            return keys;
        }
    }
}
