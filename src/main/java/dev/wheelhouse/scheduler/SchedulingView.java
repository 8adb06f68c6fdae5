package dev.wheelhouse.scheduler;

import java.util.Collection;

/**
 * The input of a decision.
 *
 * @param nodes the nodes, with the sums over their pods
 * @param seed breaks ties between nodes; the same seed gives the same choice
 */
record SchedulingView(PodInfo pod, Collection<NodeInfo> nodes, NamespaceLabels namespaceLabels, long seed) {}
