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

import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.Indexer;

import static dev.wheelhouse.api.Absent.orEmpty;

/** The caches of nodes and of the pods of DaemonSets, and the relations between their objects. Thread safe. */
final class DaemonSetCaches {
    /** The index of the pods of DaemonSets by node. */
    private static final String BY_NODE = "daemonset-controller/node";

    private final Indexer<V1Node> nodes;
    private final Indexer<V1Pod> pods;

    DaemonSetCaches(Indexer<V1Node> nodes, Indexer<V1Pod> pods) {
        this.nodes = nodes;
        this.pods = pods;
        pods.addIndex(BY_NODE, pod -> {
            V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
            return owner == null || !ResourceType.DAEMON_SETS.kind().equals(owner.getKind()) || Pods.node(pod).isEmpty()
                    ? List.of()
                    : List.of(Pods.node(pod));
        });
    }

    /** The pods of all DaemonSets that are bound to a node. */
    List<V1Pod> podsOn(V1Node node) {
        return pods.byIndex(BY_NODE, String.valueOf(node.getMetadata().getName()));
    }

    /**
     * The view of a DaemonSet.
     *
     * @param owned its pods
     * @param delay the delay before a failed pod on a node may be deleted; null for none
     */
    DaemonSetView view(V1DaemonSet set, String hash, Collection<V1Pod> owned,
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
        List<V1Node> known = nodes.list();
        List<NodePods> all = new ArrayList<>(known.size());
        for (V1Node node : known) {
            String name = String.valueOf(node.getMetadata().getName());
            List<V1Pod> here = byNode.remove(name);
            all.add(new NodePods(name, placement.on(node), orEmpty(here)));
        }
        byNode.forEach((name, there) -> all.add(new NodePods(name, NodePredicates.Verdict.ABSENT, there)));
        return new DaemonSetView(set, hash, all, delays, now);
    }
}
