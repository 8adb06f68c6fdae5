package dev.wheelhouse.scheduler;

import java.util.Collection;

/**
 * The input of a decision.
 *
 * @param nodes the nodes, with the sums over their pods
 * @param nominated the node that is tried first; empty if there is none
 * @param seed breaks ties between nodes; the same seed gives the same choice
 * @param turn the number of the decision: where many nodes fit, others are looked at each time
 */
record SchedulingView(Profile profile, PodInfo pod, PodVolumes volumes, Collection<NodeInfo> nodes,
        NamespaceLabels namespaceLabels, String nominated, Preemption.Facts preemption, long seed, long turn) {
    SchedulingView withNodes(Collection<NodeInfo> others) {
        return new SchedulingView(profile, pod, volumes, others, namespaceLabels, nominated, preemption, seed, turn);
    }
}
