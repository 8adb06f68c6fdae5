package dev.wheelhouse.scheduler;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;

/**
 * The nodes with the sums over their pods, kept up to date from events instead of being computed for each decision
 * (upstream: {@code pkg/scheduler/backend/cache}). A pod that was given a node counts there at once, as <em>assumed</em>,
 * until the informer shows it there or the binding fails. Thread safe: one lock, held for one decision at most.
 */
final class SchedulerCache {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, NodeInfo> nodes = new TreeMap<>();
    private final Map<String, Placed> placed = new HashMap<>();

    private record Placed(PodInfo pod, String node, boolean assumed) {}

    /** @return whether anything changed that scheduling depends on */
    boolean setNode(V1Node node) {
        NodeInfo.Facts facts = NodeInfo.Facts.of(node);
        lock.lock();
        try {
            return node(node.getMetadata().getName()).setFacts(facts);
        } finally {
            lock.unlock();
        }
    }

    void removeNode(String name) {
        lock.lock();
        try {
            node(name).setFacts(null);
            dropIfEmpty(name);
        } finally {
            lock.unlock();
        }
    }

    /** Decides on a pod, and assumes it on the node it is given. */
    Decision schedule(PodInfo pod, NamespaceLabels namespaceLabels, long seed) {
        lock.lock();
        try {
            Decision decision = Placement.decide(new SchedulingView(pod, nodes.values(), namespaceLabels, seed));
            if (decision instanceof Decision.Bind bind) {
                put(pod, bind.node(), true);
            }
            return decision;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Counts a pod that the API server shows on a node.
     *
     * @return whether it is new there, other than by a decision made here, or looks different than before
     */
    boolean place(PodInfo pod, String node) {
        lock.lock();
        try {
            Placed before = placed.get(pod.uid());
            put(pod, node, false);
            return before == null || !before.node.equals(node) || !before.pod.group().equals(pod.group());
        } finally {
            lock.unlock();
        }
    }

    /** Whether a pod has been given a node that the API server does not show yet. */
    boolean isAssumed(String uid) {
        lock.lock();
        try {
            Placed at = placed.get(uid);
            return at != null && at.assumed;
        } finally {
            lock.unlock();
        }
    }

    /** Takes an assumption back; does nothing once the API server has shown the pod on a node. */
    void forget(String uid) {
        lock.lock();
        try {
            Placed at = placed.get(uid);
            if (at != null && at.assumed) {
                drop(uid);
            }
        } finally {
            lock.unlock();
        }
    }

    /** @return whether the pod was on a node */
    boolean remove(String uid) {
        lock.lock();
        try {
            return drop(uid);
        } finally {
            lock.unlock();
        }
    }

    /** How many nodes are known. */
    int nodes() {
        lock.lock();
        try {
            return (int) nodes.values().stream().filter(NodeInfo::isKnown).count();
        } finally {
            lock.unlock();
        }
    }

    private void put(PodInfo pod, String node, boolean assumed) {
        drop(pod.uid());
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
