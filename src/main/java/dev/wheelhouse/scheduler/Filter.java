package dev.wheelhouse.scheduler;

/** The filters that can reject a node, in the order of their evaluation. */
enum Filter {
    NODES, NODE_UNSCHEDULABLE, TAINTS, NODE_AFFINITY, PORTS, RESOURCES, DISKS, CLAIMS_IN_USE, VOLUME_LIMITS, CLAIMS,
    VOLUMES, SPREAD, POD_AFFINITY;

    /** Whether removing pods from nodes may change the filter's result. */
    boolean dependsOnRemovals() {
        return this == PORTS || this == RESOURCES || this == DISKS || this == CLAIMS_IN_USE || this == VOLUME_LIMITS
                || dependsOnAdditions();
    }

    /** Whether a change of a claim, a volume or what holds it may change the filter's result. */
    boolean dependsOnVolumes() {
        return this == CLAIMS || this == VOLUMES || this == VOLUME_LIMITS;
    }

    /** Whether adding pods to nodes may change the filter's result. */
    boolean dependsOnAdditions() {
        return this == SPREAD || this == POD_AFFINITY;
    }
}
