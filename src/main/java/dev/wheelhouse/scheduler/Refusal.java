package dev.wheelhouse.scheduler;

import java.util.List;

/**
 * Why a node is not for a pod.
 *
 * @param reasons in upstream's words, each to be counted over the nodes
 * @param resolvable whether taking pods off the node could help
 */
record Refusal(Filter filter, List<String> reasons, boolean resolvable) {
    static Refusal of(Filter filter, String reason) {
        return new Refusal(filter, List.of(reason), false);
    }

    static Refusal resolvable(Filter filter, String reason) {
        return new Refusal(filter, List.of(reason), true);
    }
}
