package dev.wheelhouse.scheduler;

import java.util.List;

/**
 * Why a node does not fit a pod.
 *
 * @param reasons upstream's texts, each counted over the nodes
 * @param resolvable whether removing pods from the node may help
 */
record Refusal(Filter filter, List<String> reasons, boolean resolvable) {
    static Refusal of(Filter filter, String reason) {
        return new Refusal(filter, List.of(reason), false);
    }

    static Refusal resolvable(Filter filter, String reason) {
        return new Refusal(filter, List.of(reason), true);
    }
}
