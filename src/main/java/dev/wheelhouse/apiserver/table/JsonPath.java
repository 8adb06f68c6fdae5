package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * The JSON paths of printer columns: fields, {@code ..} before fields at any depth, indices, slices, {@code [*]}, and
 * filters that compare a field with a text (upstream: {@code client-go/util/jsonpath}). A path with anything else, or
 * with more than 1,000 characters, finds nothing. Immutable.
 */
final class JsonPath {
    /** Bounds the steps, and the stack of the regular expression. */
    private static final int MOST_CHARACTERS = 1000;
    private static final Pattern STEP = Pattern
            .compile("\\.?\\[\\?\\(@\\.([^=!]+?)\\s*(==|!=)\\s*[\"']([^\"']*)[\"']\\)]"
                    + "|\\.?\\[(\\*|-?\\d{1,9})]|\\.?\\[['\"]([^'\"]+)['\"]]|\\.((?:\\\\.|[^.\\[\\\\])+)"
                    + "|\\.?\\[(-?\\d{1,9})?:(-?\\d{1,9})?]|(\\.)(?=\\.(?!\\.))");

    /** Each leads from some nodes to other ones, in order. */
    private final List<UnaryOperator<List<JsonNode>>> steps = new ArrayList<>();

    JsonPath(String text) {
        String path = text.startsWith(".") || text.startsWith("[") ? text : "." + text;
        Matcher matcher = STEP.matcher(path);
        int end = 0;
        while (path.length() <= MOST_CHARACTERS && matcher.lookingAt()) {
            steps.add(step(matcher));
            end = matcher.end();
            matcher.region(end, path.length());
        }
        if (end < path.length()) {
            steps.add(nodes -> List.of());
        }
    }

    private static UnaryOperator<List<JsonNode>> step(Matcher matcher) {
        if (matcher.group(9) != null) {
            return JsonPath::withDescendants;
        }
        BiConsumer<JsonNode, List<JsonNode>> children = children(matcher);
        return nodes -> {
            List<JsonNode> found = new ArrayList<>();
            nodes.forEach(node -> children.accept(node, found));
            return found;
        };
    }

    /** Adds the nodes that a step finds below one. */
    private static BiConsumer<JsonNode, List<JsonNode>> children(Matcher matcher) {
        if (matcher.group(1) != null) {
            String[] field = matcher.group(1).split("\\.", -1);
            boolean equal = matcher.group(2).equals("==");
            String value = matcher.group(3);
            return (node, found) -> node.forEach(element -> {
                if (Json.text(element, field).equals(value) == equal) {
                    found.add(element);
                }
            });
        }
        if ("*".equals(matcher.group(4))) {
            return (node, found) -> node.forEach(found::add);
        }
        if (matcher.group(4) != null) {
            int at = Integer.parseInt(matcher.group(4));
            return (node, found) -> slice(node, at, at == -1 ? Integer.MAX_VALUE : at + 1, found);
        }
        if (matcher.group(5) == null && matcher.group(6) == null) {
            int from = matcher.group(7) == null ? 0 : Integer.parseInt(matcher.group(7));
            int to = matcher.group(8) == null ? Integer.MAX_VALUE : Integer.parseInt(matcher.group(8));
            return (node, found) -> slice(node, from, to, found);
        }
        String name = matcher.group(5) != null ? matcher.group(5) : matcher.group(6).replace("\\", "");
        return (node, found) -> {
            JsonNode value = node.get(name);
            if (value != null) {
                found.add(value);
            }
        };
    }

    /** The elements of an array from an index to before another one; negative ones count from the end. */
    private static void slice(JsonNode node, int from, int to, List<JsonNode> found) {
        int first = from < 0 ? node.size() + from : from;
        int last = Math.min(node.size(), to < 0 ? node.size() + to : to);
        if (node.isArray() && first >= 0) {
            for (int i = first; i < last; i++) {
                found.add(node.get(i));
            }
        }
    }

    /** The nodes and all below them, each once, so that several such steps stay linear. */
    private static List<JsonNode> withDescendants(List<JsonNode> nodes) {
        Set<JsonNode> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<JsonNode> found = new ArrayList<>();
        nodes.forEach(node -> addWithDescendants(node, seen, found));
        return found;
    }

    private static void addWithDescendants(JsonNode node, Set<JsonNode> seen, List<JsonNode> found) {
        if (node.isContainer() && seen.add(node)) {
            found.add(node);
            node.forEach(child -> addWithDescendants(child, seen, found));
        }
    }

    /** The first node that the path leads to; null if there is none. */
    @Nullable
    JsonNode first(JsonNode root) {
        List<JsonNode> here = List.of(root);
        for (UnaryOperator<List<JsonNode>> step : steps) {
            Deadline.check();
            here = step.apply(here);
        }
        return here.isEmpty() ? null : here.getFirst();
    }
}
