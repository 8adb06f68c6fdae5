package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1TopologySpreadConstraint;

import dev.wheelhouse.api.LabelSelector;

/**
 * A rule about how evenly pods are to lie over the values of a node label (upstream:
 * {@code plugins/podtopologyspread/common.go}).
 *
 * @param hard whether a node that would break it is refused, or only counts less
 * @param selector the pods that are counted, in the pod's namespace
 * @param honorAffinity whether nodes that the pod's node affinity refuses are left out of the count
 * @param honorTaints whether nodes whose taints refuse the pod are left out of the count
 */
record SpreadConstraint(boolean hard, int maxSkew, String topologyKey, LabelSelector selector, int minDomains,
        boolean honorAffinity, boolean honorTaints) {

    /** @throws IllegalArgumentException if a selector is not valid */
    static List<SpreadConstraint> of(@Nullable List<V1TopologySpreadConstraint> constraints,
            Map<String, String> podLabels) {
        List<SpreadConstraint> compiled = new ArrayList<>();
        if (constraints != null) {
            for (V1TopologySpreadConstraint c : constraints) {
                compiled.add(new SpreadConstraint(!"ScheduleAnyway".equals(c.getWhenUnsatisfiable()),
                        c.getMaxSkew() == null ? 1 : c.getMaxSkew(), String.valueOf(c.getTopologyKey()),
                        Selectors.of(c.getLabelSelector(), c.getMatchLabelKeys(), null, podLabels),
                        c.getMinDomains() == null ? 1 : c.getMinDomains(), !"Ignore".equals(c.getNodeAffinityPolicy()),
                        "Honor".equals(c.getNodeTaintsPolicy())));
            }
        }
        return compiled;
    }

    /** Whether a node takes part in the count. */
    boolean counts(PodInfo pod, NodeInfo node) {
        return (!honorAffinity || pod.selection().matches(node.name(), node.labels()))
                && (!honorTaints || !Taints.forbid(node.taints(), pod.tolerations()));
    }

    /** How many of a node's pods it counts; those that are being deleted do not. */
    int count(String namespace, NodeInfo node) {
        return selector.isEverything()
                ? 0
                : node.count(group -> !group.terminating() && group.namespace().equals(namespace)
                        && selector.matches(group.labels()));
    }
}
