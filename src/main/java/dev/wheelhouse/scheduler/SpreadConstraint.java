package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1TopologySpreadConstraint;

import dev.wheelhouse.api.LabelSelector;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A topology spread constraint: how evenly pods are spread over the values of a node label (upstream:
 * {@code plugins/podtopologyspread/common.go}).
 *
 * @param hard whether a node that violates it is rejected; otherwise it only gets a lower score
 * @param selector the pods that are counted, in the pod's namespace
 * @param honorAffinity whether nodes that do not match the pod's node affinity are left out of the count
 * @param honorTaints whether nodes with taints that the pod does not tolerate are left out of the count
 */
record SpreadConstraint(boolean hard, int maxSkew, String topologyKey, LabelSelector selector, int minDomains,
        boolean honorAffinity, boolean honorTaints) {

    /** @throws IllegalArgumentException if a selector is invalid */
    static List<SpreadConstraint> of(@Nullable List<V1TopologySpreadConstraint> constraints,
            Map<String, String> podLabels) {
        List<SpreadConstraint> compiled = new ArrayList<>();
        for (V1TopologySpreadConstraint c : orEmpty(constraints)) {
            compiled.add(new SpreadConstraint(!"ScheduleAnyway".equals(c.getWhenUnsatisfiable()),
                    c.getMaxSkew() == null ? 1 : c.getMaxSkew(), String.valueOf(c.getTopologyKey()),
                    MatchLabelKeys.of(c.getLabelSelector(), c.getMatchLabelKeys(), null, podLabels),
                    c.getMinDomains() == null ? 1 : c.getMinDomains(), !"Ignore".equals(c.getNodeAffinityPolicy()),
                    "Honor".equals(c.getNodeTaintsPolicy())));
        }
        return compiled;
    }

    /** Whether a node takes part in the count. */
    boolean counts(PodInfo pod, NodeInfo node) {
        return (!honorAffinity || pod.selection().matches(node.name(), node.labels()))
                && (!honorTaints || !Taints.forbid(node.taints(), pod.tolerations()));
    }

    /** The number of a node's pods that are counted. Pods that are being deleted are not. */
    int count(String namespace, NodeInfo node) {
        return selector.isEverything()
                ? 0
                : node.count(group -> !group.terminating() && group.namespace().equals(namespace)
                        && selector.matches(group.labels()));
    }
}
