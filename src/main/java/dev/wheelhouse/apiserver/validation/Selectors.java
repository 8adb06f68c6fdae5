package dev.wheelhouse.apiserver.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.apiserver.json.Json;

/**
 * Label selectors in objects, which are JSON: their rules, and what they match (upstream:
 * {@code apimachinery/pkg/apis/meta/v1/validation}).
 */
public final class Selectors {
    /** The most wrong values that a message names. */
    private static final int MOST_CAUSES = 10;

    private Selectors() {}

    /** Adds the problems of a label selector; none if there is no selector. */
    public static void validate(@Nullable JsonNode selector, String path, Problems problems) {
        if (selector != null) {
            Rules.shared().check("LabelSelector", selector, null, path, problems);
        }
    }

    /**
     * The invalid keys and values of a parsed selector as one message in upstream's words; empty if all are valid. It
     * names ten values at most.
     */
    public static String problem(LabelSelector selector) {
        StringBuilder problem = new StringBuilder();
        selector.forEachRequirement((key, values) -> {
            if (!problem.isEmpty()) {
                return;
            }
            List<String> wrong = Formats.qualifiedName(key);
            if (!wrong.isEmpty()) {
                problem.append("<nil>: Invalid value: ").append(StringNode.valueOf(key)).append(": ")
                        .append(String.join("; ", wrong));
                return;
            }
            List<String> causes = new ArrayList<>(0);
            int i = 0;
            for (String value : values) {
                List<String> wrongValue = causes.size() < MOST_CAUSES ? Formats.labelValue(value) : List.of();
                if (!wrongValue.isEmpty()) {
                    causes.add("values[" + i + "][" + key + "]: Invalid value: " + StringNode.valueOf(value) + ": "
                            + String.join("; ", wrongValue));
                }
                i++;
            }
            problem.append(causes.size() > 1 ? "[" + String.join(", ", causes) + "]" : String.join("", causes));
        });
        return problem.toString();
    }

    /** Whether a selector has no requirement and so matches everything. */
    public static boolean isEmpty(JsonNode selector) {
        return selector.path("matchLabels").isEmpty() && selector.path("matchExpressions").isEmpty();
    }

    /** Whether a selector can be evaluated. */
    public static boolean isValid(JsonNode selector) {
        for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
            if (!isLabel(label.getKey(), label.getValue())) {
                return false;
            }
        }
        for (JsonNode requirement : selector.path("matchExpressions")) {
            boolean hasValues = !requirement.path("values").isEmpty();
            boolean valid = switch (Json.text(requirement, "operator")) {
                case "In", "NotIn" -> hasValues;
                case "Exists", "DoesNotExist" -> !hasValues;
                default -> false;
            };
            if (!valid || !Formats.qualifiedName(Json.text(requirement, "key")).isEmpty()) {
                return false;
            }
            for (JsonNode value : requirement.path("values")) {
                if (!Formats.labelValue(value.asString("")).isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isLabel(String key, JsonNode value) {
        return Formats.qualifiedName(key).isEmpty() && Formats.labelValue(value.asString("")).isEmpty();
    }

    /** Whether a valid selector matches labels. A missing selector matches nothing; an empty one matches everything. */
    public static boolean matches(@Nullable JsonNode selector, @Nullable JsonNode labels) {
        if (selector == null) {
            return false;
        }
        for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
            if (!label.getValue().equals(labels == null ? null : labels.get(label.getKey()))) {
                return false;
            }
        }
        for (JsonNode requirement : selector.path("matchExpressions")) {
            JsonNode value = labels == null ? null : labels.get(Json.text(requirement, "key"));
            boolean among = false;
            for (JsonNode wanted : requirement.path("values")) {
                among |= wanted.equals(value);
            }
            boolean fits = switch (Json.text(requirement, "operator")) {
                case "In" -> among;
                case "NotIn" -> !among;
                case "Exists" -> value != null;
                case "DoesNotExist" -> value == null;
                default -> false;
            };
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /** A selector with sorted keys, as upstream prints it. */
    public static @Nullable JsonNode printed(@Nullable JsonNode selector) {
        if (!(selector instanceof ObjectNode)) {
            return selector;
        }
        ObjectNode result = Json.object();
        JsonNode labels = Problems.sorted(selector.get("matchLabels"));
        if (labels != null) {
            result.set("matchLabels", labels);
        }
        JsonNode expressions = selector.get("matchExpressions");
        if (expressions != null) {
            result.set("matchExpressions", expressions);
        }
        return result;
    }
}
