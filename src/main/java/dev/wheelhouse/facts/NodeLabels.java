package dev.wheelhouse.facts;

import java.util.Set;
import java.util.stream.Stream;

/**
 * The labels that a node may give its own Node (upstream: {@code k8s.io/kubelet/pkg/apis/well_known_labels.go},
 * {@code plugin/pkg/admission/noderestriction}).
 */
public final class NodeLabels {
    private static final Set<String> OWN = Set.of("kubernetes.io/hostname", "topology.kubernetes.io/zone",
            "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region", "beta.kubernetes.io/instance-type",
            "node.kubernetes.io/instance-type", "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch");

    private NodeLabels() {}

    /** Whether a node may set the label: workloads may be steered by all others. */
    public static boolean mayBeSetByNode(String label) {
        int slash = label.indexOf('/');
        String domain = slash < 0 ? "" : label.substring(0, slash);
        return OWN.contains(label) || isIn(domain, "kubelet.kubernetes.io", "node.kubernetes.io")
                || !isIn(domain, "kubernetes.io", "k8s.io");
    }

    private static boolean isIn(String domain, String... parents) {
        return Stream.of(parents).anyMatch(parent -> domain.equals(parent) || domain.endsWith("." + parent));
    }
}
