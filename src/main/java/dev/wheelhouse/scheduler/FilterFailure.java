package dev.wheelhouse.scheduler;

import java.util.List;

/**
 * Why a node does not fit a pod.
 *
 * @param reasons upstream's texts, each counted over the nodes
 * @param resolvable whether removing pods from the node may help
 */
record FilterFailure(Filter filter, List<String> reasons, boolean resolvable) {
    static FilterFailure of(Filter filter, String reason) {
        return new FilterFailure(filter, List.of(reason), false);
    }

    static FilterFailure resolvable(Filter filter, String reason) {
        return new FilterFailure(filter, List.of(reason), true);
    }
}
