package dev.wheelhouse.scheduler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;

/**
 * The nodes and the sums over their pods, updated from events instead of computed for each decision (upstream:
 * {@code pkg/scheduler/backend/cache}). After a decision the pod counts on its node at once, as an <em>assumed</em>
 * pod, until the informer shows it there or the binding fails. Thread safe; one lock, held for one decision at most.
 */
final class SchedulerCache {
    private final Map<String, NodeInfo> nodes = new TreeMap<>();
    private final Map<String, Placed> placed = new HashMap<>();
    private long turn;
    /** By the UIDs of the pods. */
    private final Map<String, Nomination> nominations = new HashMap<>();

    private record Placed(PodInfo pod, String node, boolean assumed) {}

    /** A pod for which others go from a node. */
    private record Nomination(PodInfo pod, String node) {}

    /**
     * Adds or updates a Node.
     * @return whether anything changed that scheduling depends on
     */
    synchronized boolean setNode(V1Node node) {
        return node(node.getMetadata().getName()).setFacts(NodeInfo.Facts.of(node));
    }

    synchronized void removeNode(String name) {
        node(name).setFacts(null);
        dropIfEmpty(name);
    }

    /** Counts a pod as one for which others go from its nominated node. */
    synchronized void nominate(PodInfo pod) {
        nominations.put(pod.uid(), new Nomination(pod, pod.nominated()));
    }

    /**
     * Decides on a node for a pod, and assumes the pod on that node. Pods of the same or a higher priority count where
     * others go for them.
     */
    synchronized ScheduleResult schedule(Profile profile, PodInfo pod, PodVolumes volumes,
            NamespaceLabels namespaceLabels, Preemption.Facts preemption, long seed) {
        Nomination own = nominations.get(pod.uid());
        List<Nomination> others = nominations.values().stream().filter(each -> each != own
                && each.pod.priority() >= pod.priority() && nodes.containsKey(each.node)).toList();
        others.forEach(each -> node(each.node).add(each.pod));
        ScheduleResult decision = Placement.decide(new SchedulingView(profile, pod, volumes, nodes.values(),
                namespaceLabels, own == null ? "" : own.node, preemption, seed, turn++));
        others.forEach(each -> node(each.node).remove(each.pod));
        switch (decision) {
            case ScheduleResult.Bind bind -> put(pod, bind.node(), true);
            case ScheduleResult.Unschedulable no when "".equals(no.nominated()) -> nominations.remove(pod.uid());
            case ScheduleResult.Unschedulable no when no.nominated() != null -> {
                nominations.values()
                        .removeIf(each -> each.node.equals(no.nominated()) && each.pod.priority() < pod.priority());
                nominations.put(pod.uid(), new Nomination(pod, no.nominated()));
            }
            default -> {
                // The pods that have to go are still going.
            }
        }
        return decision;
    }

    /**
     * Counts a pod that the API server shows on a node.
     *
     * @return whether the pod was not counted there before, or its labels or deletion changed
     */
    synchronized boolean place(PodInfo pod, String node) {
        Placed before = placed.get(pod.uid());
        put(pod, node, false);
        return before == null || !before.node.equals(node) || !before.pod.group().equals(pod.group());
    }

    /** Whether a pod is assumed on a node, but the API server does not show it there yet. */
    synchronized boolean isAssumed(String uid) {
        Placed at = placed.get(uid);
        return at != null && at.assumed;
    }

    /** Removes an assumed pod. Does nothing if the API server has shown the pod on a node. */
    synchronized void forget(String uid) {
        Placed at = placed.get(uid);
        if (at != null && at.assumed) {
            drop(uid);
        }
    }

    /**
     * Removes a pod.
     * @return whether it was counted on a node
     */
    synchronized boolean remove(String uid) {
        nominations.remove(uid);
        return drop(uid);
    }

    synchronized int nodes() {
        return (int) nodes.values().stream().filter(NodeInfo::isKnown).count();
    }

    private void put(PodInfo pod, String node, boolean assumed) {
        drop(pod.uid());
        nominations.remove(pod.uid());
        placed.put(pod.uid(), new Placed(pod, node, assumed));
        node(node).add(pod);
    }

    private boolean drop(String uid) {
        @Nullable
        Placed at = placed.remove(uid);
        if (at == null) {
            return false;
        }
        node(at.node).remove(at.pod);
        dropIfEmpty(at.node);
        return true;
    }

    private NodeInfo node(String name) {
        return nodes.computeIfAbsent(name, NodeInfo::new);
    }

    private void dropIfEmpty(String name) {
        NodeInfo node = nodes.get(name);
        if (node != null && !node.isKnown() && node.pods() == 0) {
            nodes.remove(name);
        }
    }
}
