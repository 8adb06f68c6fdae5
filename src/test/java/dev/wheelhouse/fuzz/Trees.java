package dev.wheelhouse.fuzz;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON trees, made comparable. */
public final class Trees {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Trees() {}

    /** The same with each number as a floating one, for readers that differ in the types of numbers alone. */
    public static JsonNode withFloatingNumbers(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> {
                ObjectNode copy = NODES.objectNode();
                for (Map.Entry<String, JsonNode> field : object.properties()) {
                    copy.set(field.getKey(), withFloatingNumbers(field.getValue()));
                }
                yield copy;
            }
            case ArrayNode array -> {
                ArrayNode copy = NODES.arrayNode();
                array.forEach(element -> copy.add(withFloatingNumbers(element)));
                yield copy;
            }
            default -> node.isNumber() ? NODES.numberNode(node.doubleValue()) : node;
        };
    }
}
