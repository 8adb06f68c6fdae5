package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * The JSON paths of printer columns: fields, indices, {@code [*]}, and filters that compare a field with a text
 * (upstream: {@code client-go/util/jsonpath}). Immutable.
 */
final class JsonPath {
    private static final Pattern STEP = Pattern
            .compile("\\.?\\[\\?\\(@\\.([^=!]+?)\\s*(==|!=)\\s*[\"']([^\"']*)[\"']\\)]"
                    + "|\\.?\\[(\\*|-?\\d+)]|\\.?\\[['\"]([^'\"]+)['\"]]|\\.((?:\\\\.|[^.\\[\\\\])+)");

    private final List<Step> steps = new ArrayList<>();

    private interface Step {
        void from(JsonNode node, List<JsonNode> found);
    }

    JsonPath(String text) {
        Matcher matcher = STEP.matcher(text.startsWith(".") || text.startsWith("[") ? text : "." + text);
        while (matcher.find()) {
            steps.add(step(matcher));
        }
    }

    private static Step step(Matcher matcher) {
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
        if (matcher.group(4) != null) {
            String index = matcher.group(4);
            if (index.equals("*")) {
                return (node, found) -> node.forEach(found::add);
            }
            int at = Integer.parseInt(index);
            return (node, found) -> {
                JsonNode element = node.get(at < 0 ? node.size() + at : at);
                if (node.isArray() && element != null) {
                    found.add(element);
                }
            };
        }
        String name = matcher.group(5) != null ? matcher.group(5) : matcher.group(6).replace("\\.", ".");
        return (node, found) -> {
            JsonNode value = node.get(name);
            if (value != null) {
                found.add(value);
            }
        };
    }

    /** The nodes that the path leads to. */
    List<JsonNode> find(JsonNode root) {
        List<JsonNode> here = List.of(root);
        for (Step step : steps) {
            List<JsonNode> next = new ArrayList<>();
            here.forEach(node -> step.from(node, next));
            here = next;
        }
        return here;
    }
}
