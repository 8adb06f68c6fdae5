package dev.wheelhouse.apiserver.admission;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;

/**
 * Keeps pods away from a new node until the node controller has seen that it is ready (upstream:
 * {@code plugin/pkg/admission/nodetaint}).
 */
final class NotReadyTaint implements AdmissionPlugin {
    static final String KEY = "node.kubernetes.io/not-ready";

    @Override
    public void mutate(ResourceType type, ObjectNode node, @Nullable ObjectNode old) {
        if (old != null || !type.equals(ResourceType.NODES)) {
            return;
        }
        ObjectNode spec = Json.child(node, "spec");
        boolean isTainted = spec.path("taints").valueStream().anyMatch(
                taint -> Json.text(taint, "key").equals(KEY) && Json.text(taint, "effect").equals("NoSchedule"));
        if (!isTainted) {
            spec.withArray("taints").addObject().put("key", KEY).put("effect", "NoSchedule");
        }
    }
}
