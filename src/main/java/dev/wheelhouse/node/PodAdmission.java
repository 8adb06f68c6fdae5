package dev.wheelhouse.node;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1Sysctl;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.HostPort;
import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.api.Tolerations;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.facts.Sysctls;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.quota.PodAmounts;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides whether a node accepts a pod that was bound to it (upstream: {@code pkg/kubelet/lifecycle/predicate.go} and
 * {@code AdmissionCheck} in {@code pkg/scheduler/eventhandlers.go}). Its kernel parameters must be safe ones (upstream:
 * {@code pkg/kubelet/sysctl/allowlist.go}). The pod must be for the node's operating system.
 * Its requests must fit beside those of the node's pods. Its node selector and required node affinity must match. Its
 * host ports must be free. It must tolerate the node's NoExecute taints, unless it is static. The rejection names the
 * first failure in upstream's order. A pod that has run here before is always accepted. A critical pod must fit beside
 * the other critical pods only: kubelet would evict the others, and a hollow node has no real limits (upstream:
 * {@code pkg/kubelet/preemption/preemption.go}). Pure functions.
 */
record PodAdmission(String nodeName, Map<String, String> capacity) {
    static final String NODE_AFFINITY = "NodeAffinity";
    private static final String OS = "kubernetes.io/os";

    /** A rejection: kubelet's reason, such as {@code OutOfcpu}, and its message. */
    record Rejection(String reason, String message) {}

    /** The Node's labels and taints, which users may change. */
    record NodeFacts(Map<String, String> labels, List<V1Taint> taints) {}

    /**
     * @param others the pods that the node has accepted and that have not ended
     * @return null if the pod is accepted
     */
    @Nullable
    Rejection decide(V1Pod pod, Collection<V1Pod> others, NodeFacts node) {
        if (hasRun(pod)) {
            return null;
        }
        String sysctl = unsafeSysctl(pod.getSpec().getSecurityContext());
        if (sysctl != null) {
            return new Rejection("SysctlForbidden", "forbidden sysctl: \"" + sysctl + "\" not allowlisted");
        }
        String os = pod.getMetadata().getLabels() == null ? null : pod.getMetadata().getLabels().get(OS);
        if (os != null && !os.equals(node.labels.getOrDefault(OS, "linux"))) {
            return new Rejection("PodOSSelectorNodeLabelDoesNotMatch",
                    "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label");
        }
        if (pod.getSpec().getOs() != null && !"linux".equals(pod.getSpec().getOs().getName())) {
            return new Rejection("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS");
        }
        boolean critical = PodPhases.isCritical(pod);
        Lack lack = resources(pod, critical ? others.stream().filter(PodPhases::isCritical).toList() : others);
        if (lack != null && !critical) {
            return lack.rejection();
        }
        if (!NodeSelection.of(pod.getSpec()).matches(nodeName, node.labels)) {
            return predicate(NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector");
        }
        if (!nodeName.equals(pod.getSpec().getNodeName())) {
            return predicate("NodeName", "node(s) didn't match the requested node name");
        }
        if (portTaken(pod, others)) {
            return predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports");
        }
        List<V1Toleration> tolerations = orEmpty(pod.getSpec().getTolerations());
        boolean evicted = node.taints.stream().anyMatch(
                taint -> "NoExecute".equals(taint.getEffect()) && !Tolerations.tolerate(tolerations, taint));
        if (evicted && !PodSources.isStatic(pod)) {
            return predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
        }
        return lack == null ? null : lack.afterPreemption();
    }

    private static @Nullable String unsafeSysctl(@Nullable V1PodSecurityContext security) {
        return security == null || security.getSysctls() == null
                ? null
                : security.getSysctls().stream().map(V1Sysctl::getName).filter(name -> !Sysctls.isSafe(name))
                        .findFirst().orElse(null);
    }

    private static Rejection predicate(String name, String why) {
        return new Rejection(name, "Predicate " + name + " failed: " + why);
    }

    private static boolean portTaken(V1Pod pod, Collection<V1Pod> others) {
        List<HostPort> wanted = HostPort.of(pod.getSpec());
        if (wanted.isEmpty()) {
            return false;
        }
        List<HostPort> taken = others.stream().flatMap(other -> HostPort.of(other.getSpec()).stream()).toList();
        return wanted.stream().anyMatch(port -> port.conflicts(taken));
    }

    private @Nullable Lack resources(V1Pod pod, Collection<V1Pod> others) {
        int pods = capacity.containsKey("pods")
                ? number(capacity.get("pods")).min(BigDecimal.valueOf(Integer.MAX_VALUE)).intValue()
                : Integer.MAX_VALUE;
        if (others.size() + 1 > pods) {
            return new Lack("pods", BigDecimal.ONE, BigDecimal.valueOf(others.size()), BigDecimal.valueOf(pods));
        }
        Map<String, BigDecimal> wanted = requests(pod);
        wanted.values().removeIf(amount -> amount.signum() == 0);
        if (wanted.isEmpty()) {
            return null;
        }
        Map<String, BigDecimal> used = new LinkedHashMap<>();
        others.forEach(other -> requests(other).forEach((name, amount) -> used.merge(name, amount, BigDecimal::add)));
        Set<String> inOrder = new LinkedHashSet<>(List.of("cpu", "memory", "ephemeral-storage"));
        inOrder.addAll(wanted.keySet());
        for (String resource : inOrder) {
            BigDecimal request = wanted.getOrDefault(resource, BigDecimal.ZERO);
            BigDecimal there = capacity.containsKey(resource) ? number(capacity.get(resource)) : BigDecimal.ZERO;
            BigDecimal taken = used.getOrDefault(resource, BigDecimal.ZERO);
            // Like kubelet, ignore extended resources that the node does not have; others check them.
            boolean known = capacity.containsKey(resource) || !resource.contains("/");
            if (known && request.signum() > 0 && taken.add(request).compareTo(there) > 0) {
                return new Lack(resource, request, taken, there);
            }
        }
        return null;
    }

    /** A resource of which the node has too little for a pod. */
    private record Lack(String resource, BigDecimal wanted, BigDecimal used, BigDecimal capacity) {
        Rejection rejection() {
            return new Rejection("OutOf" + resource, "Node didn't have enough resource: " + resource + ", requested: "
                    + units(resource, wanted) + ", used: " + units(resource, used) + ", capacity: "
                    + units(resource, capacity));
        }

        Rejection afterPreemption() {
            return new Rejection("UnexpectedAdmissionError",
                    "Unexpected error while attempting to recover from admission failure: preemption: error finding a"
                            + " set of pods to preempt: no set of running pods found to reclaim resources: [(res: "
                            + resource + ", q: " + units(resource, wanted.add(used).subtract(capacity)) + "), ]");
        }
    }

    /** An amount in the resource's unit, which is a thousandth of a CPU for {@code cpu}. */
    private static String units(String resource, BigDecimal amount) {
        return (resource.equals("cpu") ? amount.movePointRight(3) : amount).setScale(0, RoundingMode.CEILING)
                .toPlainString();
    }

    private static boolean hasRun(V1Pod pod) {
        return pod.getStatus() != null && pod.getStatus().getContainerStatuses() != null
                && pod.getStatus().getContainerStatuses().stream().anyMatch(s -> s.getContainerID() != null);
    }

    static Map<String, BigDecimal> requests(V1Pod pod) {
        Map<String, BigDecimal> requests = new LinkedHashMap<>();
        PodAmounts.requests(pod).forEach((resource, amount) -> requests.put(resource, amount.getNumber()));
        return requests;
    }

    private static BigDecimal number(@Nullable String quantity) {
        return quantity == null ? BigDecimal.ZERO : BoundedQuantity.parse(quantity).getNumber();
    }
}
