package dev.wheelhouse.apiserver.patch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;

/** The operations of server-side apply on trees: list a value's fields, merge a configuration, remove fields. */
final class AppliedConfig {
    private AppliedConfig() {}

    /** The paths of all leaves, list elements and map keys of an object. */
    static FieldSet fields(JsonNode object, Structure structure) {
        FieldSet set = new FieldSet();
        collect(object, structure, new ArrayList<>(), set);
        return set;
    }

    private static void collect(JsonNode value, Structure structure, List<String> path, FieldSet set) {
        switch (structure.form(value, value)) {
            case OBJECT -> {
                for (Map.Entry<String, JsonNode> field : value.properties()) {
                    path.add("f:" + field.getKey());
                    JsonNode inner = field.getValue();
                    collect(inner, structure.field(field.getKey()), path, set);
                    if (inner.isNull() || (inner.isObject() && inner.isEmpty())
                            || !structure.declares(field.getKey())) {
                        set.insert(path);
                    }
                    path.removeLast();
                }
            }
            case SET, ASSOCIATIVE -> {
                Set<String> seen = new HashSet<>();
                Set<String> repeated = new HashSet<>();
                for (JsonNode element : value) {
                    String step = structure.step(element);
                    if (!seen.add(step)) {
                        repeated.add(step);
                    }
                }
                for (JsonNode element : value) {
                    String step = structure.step(element);
                    path.add(step);
                    if (!repeated.contains(step)) {
                        collect(element, structure.element(), path, set);
                    }
                    set.insert(path);
                    path.removeLast();
                }
            }
            default -> {
                if (!path.isEmpty()) {
                    set.insert(path);
                }
            }
        }
    }

    /**
     * The object with the configuration merged into it. Nothing is removed, the configuration's values win, and changed
     * lists take its order. Shares nodes with both.
     */
    static JsonNode merge(@Nullable JsonNode live, @Nullable JsonNode config, Structure structure) {
        if (config == null) {
            return live == null ? NullNode.getInstance() : live;
        }
        if (live == null || (Structure.isEmptyContainer(live) && Structure.isEmptyContainer(config))) {
            return config;
        }
        return switch (structure.form(live, config)) {
            // A null leaves the parts of an object or list alone: others may own them.
            case OBJECT -> live instanceof ObjectNode present && (config.isNull() || config.isObject())
                    ? mergeFields(present, config, structure)
                    : config;
            case SET, ASSOCIATIVE -> live instanceof ArrayNode present && (config.isNull() || config.isArray())
                    ? mergeList(present, config, structure)
                    : config;
            default -> config;
        };
    }

    private static ObjectNode mergeFields(ObjectNode live, JsonNode config, Structure structure) {
        ObjectNode merged = Json.object();
        for (Map.Entry<String, JsonNode> field : live.properties()) {
            String name = field.getKey();
            merged.set(name, merge(field.getValue(), config.get(name), structure.field(name)));
        }
        for (Map.Entry<String, JsonNode> field : config.properties()) {
            if (!live.has(field.getKey())) {
                merged.set(field.getKey(), field.getValue());
            }
        }
        return merged;
    }

    /** The configuration's elements come in its order. Other elements keep their place relative to shared ones. */
    private static ArrayNode mergeList(ArrayNode live, JsonNode config, Structure structure) {
        List<String> left = new ArrayList<>();
        Map<String, JsonNode> leftValues = new HashMap<>();
        for (JsonNode element : live) {
            String step = structure.step(element);
            left.add(step);
            // An element that occurs more than once in the object is not merged but replaced.
            leftValues.merge(step, element, (a, b) -> NullNode.getInstance());
        }
        Map<String, JsonNode> right = new LinkedHashMap<>();
        for (JsonNode element : config) {
            right.put(structure.step(element), element);
        }
        List<String> order = List.copyOf(right.keySet());
        List<String> shared = new ArrayList<>(order);
        shared.removeIf(step -> !leftValues.containsKey(step));
        Set<String> done = new HashSet<>();
        ArrayNode merged = live.arrayNode();
        int l = 0;
        int r = 0;
        int nextShared = 0;
        while (l < left.size() || r < order.size()) {
            String leftStep = l < left.size() ? left.get(l) : null;
            String rightStep = r < order.size() ? order.get(r) : null;
            boolean isShared = leftStep != null && right.containsKey(leftStep);
            String expected = nextShared < shared.size() ? shared.get(nextShared) : null;
            if (leftStep != null && !isShared) {
                merged.add(live.get(l++));
            } else if (leftStep != null && rightStep != null && !leftStep.equals(rightStep) && expected != null
                    && !leftStep.equals(expected)) {
                l++; // the configuration has the element at another place
            } else if (rightStep != null) {
                if (leftStep != null && (leftStep.equals(rightStep) || done.contains(leftStep))) {
                    l++;
                }
                merged.add(merge(leftValues.get(rightStep), right.get(rightStep), structure.element()));
                done.add(rightStep);
                r++;
                if (rightStep.equals(expected)) {
                    nextShared++;
                }
            } else {
                l++; // the element was merged before
            }
        }
        return merged;
    }

    /** The value without the members of a set and all that is below them. Shares nodes with the value. */
    static JsonNode remove(JsonNode value, FieldSet removed, Structure structure) {
        return switch (structure.form(value, value)) {
            case OBJECT -> value instanceof ObjectNode object ? removeFields(object, removed, structure) : value;
            case SET, ASSOCIATIVE -> value instanceof ArrayNode list ? removeElements(list, removed, structure) : value;
            default -> value;
        };
    }

    private static ObjectNode removeFields(ObjectNode object, FieldSet removed, Structure structure) {
        ObjectNode rest = Json.object();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String step = "f:" + field.getKey();
            if (!removed.has(step)) {
                FieldSet below = removed.under(step);
                rest.set(field.getKey(), below == null
                        ? field.getValue()
                        : remove(field.getValue(), below, structure.field(field.getKey())));
            }
        }
        return rest;
    }

    private static ArrayNode removeElements(ArrayNode list, FieldSet removed, Structure structure) {
        ArrayNode rest = list.arrayNode();
        for (JsonNode element : list) {
            String step = structure.step(element);
            if (!removed.has(step)) {
                FieldSet below = removed.under(step);
                rest.add(below == null ? element : remove(element, below, structure.element()));
            }
        }
        return rest;
    }

    /** Why a configuration does not fit its type, in upstream's words; null if it fits. */
    static @Nullable String problem(JsonNode config, Structure structure) {
        return problem(config, structure, new ArrayList<>());
    }

    private static @Nullable String problem(JsonNode value, Structure structure, List<String> path) {
        if (value.isNull()) {
            return null;
        }
        if (structure.isMap() || structure.form(value, value) == Structure.Form.OBJECT) {
            return value.isObject() ? fieldProblem(value, structure, path) : mistyped("map", value, path);
        }
        if (structure.isList()) {
            return value.isArray() ? listProblem(value, structure, path) : mistyped("list", value, path);
        }
        return switch (structure.scalar()) {
            case "string" -> value.isString()
                    ? null
                    : FieldSet.print(path) + ": expected string, got &value.valueUnstructured{Value:"
                            + JsonValues.goText(value) + "}";
            case "numeric" -> value.isNumber()
                    ? null
                    : FieldSet.print(path) + ": expected numeric (int or float), got " + JsonValues.goType(value);
            case "boolean" -> value.isBoolean() ? null : mistyped("boolean", value, path);
            case "any" -> value.isContainer() ? mistyped("any scalar", value, path) : null;
            default -> null;
        };
    }

    private static String mistyped(String wanted, JsonNode value, List<String> path) {
        return FieldSet.print(path) + ": expected " + wanted + ", got &{" + JsonValues.goText(value) + "}";
    }

    /**
     * The paths of the atomic lists and objects in a configuration, which a policy may not set, because it would remove
     * all that it does not repeat (upstream: {@code plugin/policy/mutating/patch/smd.go}).
     */
    static List<String> atomics(JsonNode config, Structure structure) {
        List<String> found = new ArrayList<>();
        atomics(config, structure, new ArrayList<>(), found);
        return found;
    }

    private static void atomics(JsonNode value, Structure structure, List<String> path, List<String> found) {
        boolean list = value.isArray() && (structure.isList() || structure.isDeduced());
        if ((list && (structure.isLeaf() || structure.isDeduced()))
                || (value.isObject() && structure.isMap() && structure.isLeaf())) {
            found.add(FieldSet.print(path));
        }
        if (list) {
            for (int i = 0; i < value.size(); i++) {
                path.add("i:" + i);
                atomics(value.get(i), structure.element(), path, found);
                path.removeLast();
            }
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            if (structure.declares(field.getKey())) {
                path.add("f:" + field.getKey());
                atomics(field.getValue(), structure.field(field.getKey()), path, found);
                path.removeLast();
            }
        }
    }

    private static @Nullable String fieldProblem(JsonNode object, Structure structure, List<String> path) {
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            path.add("f:" + field.getKey());
            String problem = structure.allows(field.getKey())
                    ? problem(field.getValue(), structure.field(field.getKey()), path)
                    : FieldSet.print(path) + ": field not declared in schema";
            if (problem != null) {
                return problem;
            }
            path.removeLast();
        }
        return null;
    }

    private static @Nullable String listProblem(JsonNode list, Structure structure, List<String> path) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            String step;
            if (list.get(i).isNull() && !structure.isLeaf()) {
                return FieldSet.print(path) + ": element " + i + ": associative list " + (structure.isSet()
                        ? "without keys has an element that's an explicit null"
                        : "with keys may not have a null element");
            }
            try {
                step = structure.isLeaf() ? "i:" + i : structure.step(list.get(i));
            } catch (IllegalArgumentException e) {
                return FieldSet.print(path) + ": element " + i + ": " + e.getMessage();
            }
            if (!seen.add(step)) {
                return FieldSet.print(path) + ": duplicate entries for key " + FieldSet.print(List.of(step));
            }
            path.add(step);
            String problem = problem(list.get(i), structure.element(), path);
            if (problem != null) {
                return problem;
            }
            path.removeLast();
        }
        return null;
    }
}
