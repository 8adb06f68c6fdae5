package dev.wheelhouse.controllers.node;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Nodes;
import dev.wheelhouse.runtime.Durations;

/**
 * The taints and labels that follow from a node's conditions and other fields (upstream:
 * {@code doNoScheduleTaintingPass}, {@code SwapNodeControllerTaint} and {@code reconcileNodeLabels} in
 * {@code pkg/controller/nodelifecycle/node_lifecycle_controller.go}). Upstream adds and removes taints by separate
 * patches. Here one patch brings all of them to the wanted state. The methods are pure functions.
 */
final class NodeTaints {
    private static final String PREFIX = "node.kubernetes.io/";
    static final String NOT_READY = PREFIX + "not-ready";
    static final String UNREACHABLE = PREFIX + "unreachable";
    private static final String UNSCHEDULABLE = PREFIX + "unschedulable";
    private static final String NO_EXECUTE = "NoExecute";
    private static final String NO_SCHEDULE = "NoSchedule";

    /** The taint's key by the condition's type and status. */
    private static final Map<String, String> OF_CONDITIONS = Map.of("Ready=False", NOT_READY, "Ready=Unknown",
            UNREACHABLE, "MemoryPressure=True", PREFIX + "memory-pressure", "DiskPressure=True",
            PREFIX + "disk-pressure", "NetworkUnavailable=True", PREFIX + "network-unavailable", "PIDPressure=True",
            PREFIX + "pid-pressure");

    /** The labels that have the values of other labels. */
    private static final Map<String, String> COPIED_LABELS = new LinkedHashMap<>();

    static {
        COPIED_LABELS.put("beta.kubernetes.io/os", "kubernetes.io/os");
        COPIED_LABELS.put("beta.kubernetes.io/arch", "kubernetes.io/arch");
    }

    /** A change of the taints of the effect NoExecute that say that a node is not ready or unreachable. */
    enum NoExecuteChange {
        /** The node gets the taint that its condition Ready asks for. The limit of evictions allows it. */
        EVICT,
        /** The taint that the condition Ready asks for replaces the other one. */
        SWAP,
        /** Both taints go. */
        CLEAR
    }

    private NodeTaints() {}

    /** Whether the node has a taint of the effect NoExecute with this key. */
    static boolean evicts(V1Node node, String key) {
        return Nodes.taints(node).stream().anyMatch(taint -> is(taint, key, NO_EXECUTE));
    }

    /**
     * The patches that bring a node's taints and labels to the wanted state.
     *
     * @param change what to do about the taints of the effect NoExecute; null to leave them as they are
     */
    static List<Action> decide(V1Node node, @Nullable NoExecuteChange change, Instant now) {
        List<Action> actions = new ArrayList<>();
        List<V1Taint> wanted = wanted(node, change, now);
        if (!wanted.equals(Nodes.taints(node))) {
            Map<String, @Nullable Object> spec = new HashMap<>();
            spec.put("taints", wanted.isEmpty() ? null : ModelJson.tree(wanted));
            actions.add(patch(node, Map.of("metadata",
                    Map.of("resourceVersion", String.valueOf(node.getMetadata().getResourceVersion())), "spec", spec),
                    "its taints follow from its conditions"));
        }
        Map<String, String> labels = labels(node);
        if (!labels.isEmpty()) {
            actions.add(patch(node,
                    Map.of("metadata", Map.of("uid", String.valueOf(node.getMetadata().getUid()), "labels", labels)),
                    "its older labels follow from the present ones"));
        }
        return actions;
    }

    private static Action patch(V1Node node, Map<String, ?> body, String why) {
        return new Action.Patch(ResourceType.NODES, ObjectKey.of(node), "", PatchType.STRATEGIC_MERGE,
                ModelJson.write(body), why);
    }

    private static List<V1Taint> wanted(V1Node node, @Nullable NoExecuteChange change, Instant now) {
        OffsetDateTime since = Durations.wholeSeconds(now);
        Set<String> forbidding = forbidding(node);
        String evicting = evicting(node, change);
        List<V1Taint> taints = new ArrayList<>(Nodes.taints(node));
        taints.removeIf(taint -> is(taint, NO_SCHEDULE) && isManaged(taint.getKey())
                && !forbidding.contains(taint.getKey()));
        if (change != null) {
            taints.removeIf(taint -> is(taint, NO_EXECUTE) && !taint.getKey().equals(evicting)
                    && (taint.getKey().equals(NOT_READY) || taint.getKey().equals(UNREACHABLE)));
        }
        if (evicting != null) {
            // A taint that a user has set may have no time.
            taints.replaceAll(taint -> is(taint, evicting, NO_EXECUTE) && taint.getTimeAdded() == null
                    ? taint(evicting, NO_EXECUTE, since)
                    : taint);
            add(taints, evicting, NO_EXECUTE, since);
        }
        forbidding.forEach(key -> add(taints, key, NO_SCHEDULE, since));
        return taints;
    }

    private static boolean is(V1Taint taint, String effect) {
        return effect.equals(taint.getEffect());
    }

    private static boolean is(V1Taint taint, String key, String effect) {
        return is(taint, effect) && key.equals(taint.getKey());
    }

    private static boolean isManaged(String key) {
        return key.equals(UNSCHEDULABLE) || OF_CONDITIONS.containsValue(key);
    }

    private static void add(List<V1Taint> taints, String key, String effect, OffsetDateTime since) {
        if (taints.stream().noneMatch(taint -> is(taint, key, effect))) {
            taints.add(taint(key, effect, since));
        }
    }

    private static V1Taint taint(String key, String effect, OffsetDateTime since) {
        return new V1Taint().key(key).effect(effect).timeAdded(since);
    }

    /** The keys of the taints of the effect NoSchedule. */
    private static Set<String> forbidding(V1Node node) {
        Set<String> keys = new LinkedHashSet<>();
        for (V1NodeCondition condition : Nodes.conditions(node)) {
            String key = OF_CONDITIONS.get(condition.getType() + "=" + condition.getStatus());
            if (key != null) {
                keys.add(key);
            }
        }
        if (node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
            keys.add(UNSCHEDULABLE);
        }
        return keys;
    }

    /** The key of the taint of the effect NoExecute; null for none. */
    private static @Nullable String evicting(V1Node node, @Nullable NoExecuteChange change) {
        V1NodeCondition ready = Nodes.condition(node, NodeHealth.READY);
        return change == null || change == NoExecuteChange.CLEAR || ready == null
                ? null
                : OF_CONDITIONS.get(NodeHealth.READY + "=" + ready.getStatus());
    }

    /** The labels that are missing or differ from those that they are copies of. */
    private static Map<String, String> labels(V1Node node) {
        Map<String, String> present = Metadata.labels(node.getMetadata());
        Map<String, String> missing = new LinkedHashMap<>();
        COPIED_LABELS.forEach((copy, original) -> {
            String value = present.get(original);
            if (value != null && !value.equals(present.get(copy))) {
                missing.put(copy, value);
            }
        });
        return missing;
    }
}
