package dev.wheelhouse.controllers.pods;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.Absent;

/** Reads a node's conditions and taints. */
public final class Nodes {
    private Nodes() {}

    public static List<V1NodeCondition> conditions(V1Node node) {
        return node.getStatus() == null ? List.of() : Absent.orEmpty(node.getStatus().getConditions());
    }

    /** A condition of a node; null if the node does not have it. */
    public static @Nullable V1NodeCondition condition(V1Node node, String type) {
        return conditions(node).stream().filter(each -> type.equals(each.getType())).findFirst().orElse(null);
    }

    public static boolean isReady(V1Node node) {
        V1NodeCondition ready = condition(node, "Ready");
        return ready != null && "True".equals(ready.getStatus());
    }

    public static List<V1Taint> taints(V1Node node) {
        return node.getSpec() == null ? List.of() : Absent.orEmpty(node.getSpec().getTaints());
    }

    /** Whether a user says by a taint that nothing runs on the node any more. */
    public static boolean isOutOfService(V1Node node) {
        return taints(node).stream().anyMatch(taint -> "node.kubernetes.io/out-of-service".equals(taint.getKey()));
    }
}
