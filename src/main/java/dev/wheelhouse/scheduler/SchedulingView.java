package dev.wheelhouse.scheduler;

import java.util.Collection;

/**
 * All that a decision looks at.
 *
 * @param nodes the nodes that are known, with the sums over their pods
 * @param seed from which ties between nodes are broken: the same seed, the same choice
 */
record SchedulingView(PodInfo pod, Collection<NodeInfo> nodes, NamespaceLabels namespaceLabels, long seed) {}
