package dev.wheelhouse.scheduler;

import java.util.Collection;
import java.util.function.Predicate;

import dev.wheelhouse.api.ObjectKey;

/**
 * The input of a decision.
 *
 * @param claimsInUse whether a pod with a node uses a claim
 * @param nodes the nodes, with the sums over their pods
 * @param nominated the node that is tried first; empty if there is none
 * @param seed breaks ties between nodes; the same seed gives the same choice
 */
record SchedulingView(PodInfo pod, PodVolumes volumes, Predicate<ObjectKey> claimsInUse, Collection<NodeInfo> nodes,
        NamespaceLabels namespaceLabels, String nominated, Preemption.Facts preemption, long seed) {
    SchedulingView withNodes(Collection<NodeInfo> others) {
        return new SchedulingView(pod, volumes, claimsInUse, others, namespaceLabels, nominated, preemption, seed);
    }
}
