package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1DaemonSetSpec;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1RollingUpdateDaemonSet;

import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The input of a decision about the pods of one DaemonSet.
 *
 * @param set the DaemonSet; it belongs to the cache, so nobody may change it
 * @param hash the name of the template's revision, which its pods have as a label
 * @param nodes all nodes, and those that do not exist but have pods
 * @param delays the delay before a failed pod may be deleted, by node; nodes without a delay are missing
 * @param now the current time
 */
record DaemonSetView(V1DaemonSet set, String hash, List<NodePods> nodes, Map<String, Duration> delays, Instant now) {
    /**
     * Puts the pods of a DaemonSet to their nodes.
     *
     * @param owned its pods
     * @param nodes all nodes
     * @param delay the delay before a failed pod on a node may be deleted; null for none
     */
    static DaemonSetView of(V1DaemonSet set, String hash, Collection<V1Pod> owned, Collection<V1Node> nodes,
            Function<String, @Nullable Duration> delay, Instant now) {
        Map<String, List<V1Pod>> byNode = new HashMap<>();
        Map<String, Duration> delays = new HashMap<>();
        for (V1Pod pod : owned) {
            String node = DaemonPods.node(pod);
            if (node == null || Pods.isFinished(pod) && Pods.isDeleting(pod)) {
                continue;
            }
            byNode.computeIfAbsent(node, name -> new ArrayList<>(2)).add(pod);
            Duration left = Pods.phase(pod).equals("Failed") ? delay.apply(node) : null;
            if (left != null) {
                delays.put(node, left);
            }
        }
        NodePredicates placement = NodePredicates.of(set.getSpec().getTemplate().getSpec());
        List<NodePods> all = new ArrayList<>(nodes.size());
        for (V1Node node : nodes) {
            String name = String.valueOf(node.getMetadata().getName());
            List<V1Pod> here = byNode.remove(name);
            all.add(new NodePods(name, placement.on(node), orEmpty(here)));
        }
        byNode.forEach((name, there) -> all.add(new NodePods(name, NodePredicates.Verdict.ABSENT, there)));
        return new DaemonSetView(set, hash, all, delays, now);
    }

    int minReadySeconds() {
        return orZero(set.getSpec().getMinReadySeconds());
    }

    boolean isRollingUpdate() {
        return set.getSpec().getUpdateStrategy() != null
                && "RollingUpdate".equals(set.getSpec().getUpdateStrategy().getType());
    }

    /** The number of nodes that a rolling update may give a second pod, of the nodes that run one. */
    int maxSurge(int ofNodes) {
        V1RollingUpdateDaemonSet rolling = rolling(set.getSpec());
        return rolling == null ? 0 : scaled(rolling.getMaxSurge(), ofNodes);
    }

    /** The number of nodes that a rolling update may leave without an available pod. */
    int maxUnavailable(int ofNodes) {
        V1RollingUpdateDaemonSet rolling = rolling(set.getSpec());
        return rolling == null ? 0 : scaled(rolling.getMaxUnavailable(), ofNodes);
    }

    private @Nullable V1RollingUpdateDaemonSet rolling(V1DaemonSetSpec spec) {
        return isRollingUpdate() ? spec.getUpdateStrategy().getRollingUpdate() : null;
    }

    /** Percentages are rounded up. */
    private static int scaled(@Nullable IntOrString value, int of) {
        if (value == null) {
            return 0;
        }
        return value.isInteger()
                ? value.getIntValue()
                : Math.ceilDiv(Integer.parseInt(value.getStrValue().replace("%", "")) * of, 100);
    }
}
