package dev.wheelhouse.controllers.node;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;

/** Reads the conditions and labels of nodes. */
final class NodeConditions {
    static final String READY = "Ready";

    private NodeConditions() {}

    static List<V1NodeCondition> all(V1Node node) {
        return node.getStatus() == null || node.getStatus().getConditions() == null
                ? List.of()
                : node.getStatus().getConditions();
    }

    /** A condition of a node; null if the node does not have it. */
    static @Nullable V1NodeCondition of(V1Node node, String type) {
        return all(node).stream().filter(condition -> type.equals(condition.getType())).findFirst().orElse(null);
    }

    static boolean isTrue(@Nullable V1NodeCondition condition) {
        return condition != null && "True".equals(condition.getStatus());
    }

    static Map<String, String> labels(V1Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    static String name(V1Node node) {
        return String.valueOf(node.getMetadata().getName());
    }
}
