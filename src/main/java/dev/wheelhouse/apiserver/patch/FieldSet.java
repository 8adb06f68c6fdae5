package dev.wheelhouse.apiserver.patch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * A set of field paths, kept as a tree in which each node says whether its own path is a member. Steps of a path are
 * written as in FieldsV1: {@code f:name}, {@code k:{"name":"app"}}, {@code v:"x"}, {@code i:0}. {@link #insert} and
 * {@link #addAll} change the set; all other operations create new sets.
 */
final class FieldSet {
    private static final FieldSet NOTHING = new FieldSet();

    private boolean member;
    /** Sorted. Most sets have no children, and share the empty map. */
    private Map<String, FieldSet> children = Map.of();

    /** @throws IllegalArgumentException if the JSON is not a FieldsV1 */
    static FieldSet parse(JsonNode fieldsV1) {
        FieldSet set = new FieldSet();
        for (Map.Entry<String, JsonNode> entry : fieldsV1.properties()) {
            String step = entry.getKey();
            if (step.equals(".")) {
                set.member = true;
                continue;
            }
            if (step.length() < 2 || step.charAt(1) != ':' || "fkvi".indexOf(step.charAt(0)) < 0
                    || !entry.getValue().isObject()) {
                throw new IllegalArgumentException(
                        "\"" + step + "\" is not a step of a FieldsV1: it must begin with f:, k:, v: or i:");
            }
            FieldSet child = parse(entry.getValue());
            child.member |= entry.getValue().isEmpty();
            set.put(canonical(step), child);
        }
        return set;
    }

    private void put(String step, FieldSet child) {
        if (children.isEmpty()) {
            children = new TreeMap<>();
        }
        children.put(step, child);
    }

    /** The paths below a step, to be added to. */
    FieldSet child(String step) {
        FieldSet child = children.get(step);
        if (child == null) {
            child = new FieldSet();
            put(step, child);
        }
        return child;
    }

    /** The paths below a path, to be added to. */
    FieldSet child(List<String> path) {
        FieldSet here = this;
        for (String step : path) {
            here = here.child(step);
        }
        return here;
    }

    /** Makes the path of this set itself a member. */
    void add() {
        member = true;
    }

    /** Whether a FieldsV1 is as {@link #toJson} writes it, so that it need not be parsed to be stored again. */
    static boolean isCanonical(JsonNode fieldsV1) {
        String before = "";
        for (Map.Entry<String, JsonNode> entry : fieldsV1.properties()) {
            String step = entry.getKey();
            JsonNode inner = entry.getValue();
            boolean valid = step.equals(".")
                    ? fieldsV1.size() > 1 && inner.isEmpty()
                    : step.length() > 1 && step.charAt(1) == ':' && "fkvi".indexOf(step.charAt(0)) >= 0
                            && !mayDiffer(step);
            if (!valid || step.compareTo(before) <= 0 || !inner.isObject() || !isCanonical(inner)) {
                return false;
            }
            before = step;
        }
        return true;
    }

    /**
     * Whether a canonical FieldsV1 has any of these paths. Takes time in proportion to the smaller one, because clients
     * choose the number of managers, and how many fields a request changes.
     */
    boolean isAnyIn(JsonNode fieldsV1) {
        if (fieldsV1.size() < children.size()) {
            for (Map.Entry<String, JsonNode> entry : fieldsV1.properties()) {
                if (isAnyIn(children.get(entry.getKey()), entry.getValue())) {
                    return true;
                }
            }
        } else {
            for (Map.Entry<String, FieldSet> entry : children.entrySet()) {
                if (isAnyIn(entry.getValue(), fieldsV1.get(entry.getKey()))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isAnyIn(@Nullable FieldSet set, @Nullable JsonNode fieldsV1) {
        return set != null && fieldsV1 != null && (set.member && isMember(fieldsV1) || set.isAnyIn(fieldsV1));
    }

    /** Whether a canonical FieldsV1 has all of these paths. */
    boolean areAllIn(JsonNode fieldsV1) {
        for (Map.Entry<String, FieldSet> entry : children.entrySet()) {
            JsonNode inner = fieldsV1.get(entry.getKey());
            if (inner == null || entry.getValue().member && !isMember(inner) || !entry.getValue().areAllIn(inner)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMember(JsonNode inner) {
        return inner.isEmpty() || inner.has(".");
    }

    /** The step with its keys in {@link Structure}'s order and notation, so that steps of clients compare equal. */
    private static String canonical(String step) {
        if (!mayDiffer(step)) {
            return step;
        }
        try {
            return Json.read(step.substring(2)) instanceof ObjectNode keys ? Structure.keyStep(keys) : step;
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "\"" + step + "\" is not a step of a FieldsV1: k: must be followed by JSON",
                    e);
        }
    }

    private static boolean mayDiffer(String step) {
        return step.charAt(0) == 'k' && (step.indexOf(',') >= 0 || step.indexOf(' ') >= 0);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        if (member && !children.isEmpty()) {
            json.putObject(".");
        }
        children.forEach((step, child) -> json.set(step, child.toJson()));
        return json;
    }

    boolean isEmpty() {
        return !member && children.isEmpty();
    }

    void insert(List<String> path) {
        child(path).member = true;
    }

    /** Whether the path of this one step is a member. */
    boolean has(String step) {
        FieldSet child = children.get(step);
        return child != null && child.member;
    }

    /** The paths below a step, relative to it; null if there are none. */
    @Nullable
    FieldSet under(String step) {
        FieldSet child = children.get(step);
        return child == null || child.children.isEmpty() ? null : child;
    }

    /** Adds all paths of another set. Shares no nodes with it. */
    void addAll(FieldSet other) {
        member |= other.member;
        other.children.forEach((step, inner) -> child(step).addAll(inner));
    }

    FieldSet union(FieldSet other) {
        FieldSet result = combined(other, member || other.member, (child, others) -> others == null
                ? child
                : child.union(others));
        other.children.forEach((step, child) -> {
            if (!children.containsKey(step)) {
                result.put(step, child);
            }
        });
        return result;
    }

    FieldSet minus(FieldSet other) {
        return combined(other, member && !other.member, (child, others) -> others == null
                ? child
                : child.minus(others));
    }

    FieldSet intersect(FieldSet other) {
        return combined(other, member && other.member, (child, others) -> others == null
                ? NOTHING
                : child.intersect(others));
    }

    /** This set without the given paths and all paths below them. */
    FieldSet withoutTrees(FieldSet roots) {
        return combined(roots, member, (child, root) -> root == null
                ? child
                : root.member ? NOTHING : child.withoutTrees(root));
    }

    /** @param inner combines a child with the one of the other set at the same step, which is null if there is none */
    private FieldSet combined(FieldSet other, boolean isMember,
            BiFunction<FieldSet, @Nullable FieldSet, FieldSet> inner) {
        FieldSet result = new FieldSet();
        result.member = isMember;
        children.forEach((step, child) -> {
            FieldSet both = inner.apply(child, other.children.get(step));
            if (!both.isEmpty()) {
                result.put(step, both);
            }
        });
        return result;
    }

    /** This set, plus the path of each declared field that has members below it. */
    FieldSet withNamedFields(Structure structure) {
        FieldSet result = new FieldSet();
        result.member = member;
        children.forEach((step, child) -> {
            Structure inner = structure.at(step);
            FieldSet with = child.withNamedFields(inner);
            if (!child.children.isEmpty() && step.startsWith("f:") && structure.declares(step.substring(2))) {
                with.member = true;
            }
            result.put(step, with);
        });
        return result;
    }

    List<List<String>> paths() {
        List<List<String>> paths = new ArrayList<>();
        collect(new ArrayList<>(), paths);
        return paths;
    }

    private void collect(List<String> path, List<List<String>> paths) {
        if (member) {
            paths.add(List.copyOf(path));
        }
        children.forEach((step, child) -> {
            path.add(step);
            child.collect(path, paths);
            path.removeLast();
        });
    }

    /** A path in upstream's notation: {@code .spec.containers[name="app"].image}. */
    static String print(List<String> path) {
        StringBuilder out = new StringBuilder();
        for (String step : path) {
            String rest = step.substring(2);
            switch (step.charAt(0)) {
                case 'f' -> out.append('.').append(rest);
                case 'v' -> out.append("[=").append(rest).append(']');
                case 'i' -> out.append('[').append(rest).append(']');
                default -> {
                    String separator = "[";
                    for (Map.Entry<String, JsonNode> key : Json.read(rest).properties()) {
                        out.append(separator).append(key.getKey()).append('=').append(key.getValue());
                        separator = ",";
                    }
                    out.append(']');
                }
            }
        }
        return out.toString();
    }
}
