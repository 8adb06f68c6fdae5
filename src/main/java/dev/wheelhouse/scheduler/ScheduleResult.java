package dev.wheelhouse.scheduler;

import java.util.Set;

/** The node for a pod, or the reason why no node fits. */
sealed interface ScheduleResult {
    /**
     * The pod is bound to a node.
     * @param score the score of the node
     * @param feasible the number of nodes that fit
     * @param volumes the volumes that are bound first
     */
    record Bind(String node, long score, int feasible, PodVolumes.Choice volumes) implements ScheduleResult {}

    /**
     * No node fits.
     * @param message upstream's message
     * @param refusedBy the filters that rejected at least one node
     */
    record Unschedulable(String message, Set<Filter> refusedBy) implements ScheduleResult {
        public Unschedulable {
            refusedBy = Set.copyOf(refusedBy);
        }
    }
}
