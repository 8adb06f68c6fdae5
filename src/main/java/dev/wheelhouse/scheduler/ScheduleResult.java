package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

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
     * @param nominated the node on which the pod will fit, when the victims are gone; empty if there is none, null if
     *     the present one stays
     * @param victims the pods that have to go
     */
    record Unschedulable(String message, Set<Filter> refusedBy, @Nullable String nominated, List<PodInfo> victims)
            implements
                ScheduleResult {
        public Unschedulable {
            refusedBy = Set.copyOf(refusedBy);
        }

        Unschedulable(String message, Filter refusedBy) {
            this(message, Set.of(refusedBy), "", List.of());
        }
    }
}
