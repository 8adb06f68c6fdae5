package dev.wheelhouse.scheduler;

/** The rules that can refuse a node, in the order in which they are asked. */
enum Filter {
    NODES, NODE_UNSCHEDULABLE, TAINTS, NODE_AFFINITY, PORTS, RESOURCES, SPREAD, POD_AFFINITY;

    /** Whether fewer pods on the nodes could change its mind. */
    boolean mindsPodsThatGo() {
        return this == PORTS || this == RESOURCES || mindsPodsThatCome();
    }

    /** Whether more pods on the nodes could change its mind. */
    boolean mindsPodsThatCome() {
        return this == SPREAD || this == POD_AFFINITY;
    }
}
