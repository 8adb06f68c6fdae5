package dev.wheelhouse.scheduler;

import java.util.Set;

/** Where a pod goes, or why it cannot go anywhere. */
sealed interface Decision {
    /** @param score by which the node won @param feasible how many nodes it could have gone to */
    record Bind(String node, long score, int feasible) implements Decision {}

    /** @param message as upstream words it @param refusedBy the rules that refused at least one node */
    record Unschedulable(String message, Set<Filter> refusedBy) implements Decision {
        public Unschedulable {
            refusedBy = Set.copyOf(refusedBy);
        }
    }
}
