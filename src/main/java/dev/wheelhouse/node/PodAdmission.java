package dev.wheelhouse.node;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import dev.wheelhouse.podconfig.PodSources;

/**
 * Whether a node takes a pod that was bound to it: its requests must fit beside those of the pods that are there, and its node
 * selector must match (upstream: {@code pkg/kubelet/lifecycle/predicate.go}). A pod that has run here before stays, and a
 * critical one is always taken: kubelet would evict others for it, and a hollow node has room in earnest. Pure.
 */
record PodAdmission(Map<String, String> capacity, Map<String, String> labels) {
    private static final int SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

    /** Why a pod is not taken: kubelet's reason, such as {@code OutOfcpu}, and its message. */
    record Rejection(String reason, String message) {}

    /** @param others the pods that the node has taken and that have not ended */
    @Nullable
    Rejection decide(V1Pod pod, Collection<V1Pod> others) {
        if (hasRun(pod) || isCritical(pod)) {
            return null;
        }
        for (Map.Entry<String, String> wanted : selector(pod).entrySet()) {
            if (!wanted.getValue().equals(labels.get(wanted.getKey()))) {
                return new Rejection("NodeAffinity",
                        "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
            }
        }
        int pods = capacity.containsKey("pods") ? number(capacity.get("pods")).intValue() : Integer.MAX_VALUE;
        if (others.size() + 1 > pods) {
            return outOf("pods", BigDecimal.ONE, BigDecimal.valueOf(others.size()), BigDecimal.valueOf(pods));
        }
        Map<String, BigDecimal> wanted = requests(pod.getSpec());
        wanted.values().removeIf(amount -> amount.signum() == 0);
        if (wanted.isEmpty()) {
            return null;
        }
        Map<String, BigDecimal> used = new LinkedHashMap<>();
        others.forEach(other -> add(used, requests(other.getSpec())));
        for (Map.Entry<String, BigDecimal> request : wanted.entrySet()) {
            String resource = request.getKey();
            BigDecimal there = capacity.containsKey(resource) ? number(capacity.get(resource)) : BigDecimal.ZERO;
            BigDecimal taken = used.getOrDefault(resource, BigDecimal.ZERO);
            // kubelet leaves out extended resources that no node knows of: they are someone else's to check.
            boolean known = capacity.containsKey(resource) || !resource.contains("/");
            if (known && taken.add(request.getValue()).compareTo(there) > 0) {
                return outOf(resource, request.getValue(), taken, there);
            }
        }
        return null;
    }

    private static Rejection outOf(String resource, BigDecimal wanted, BigDecimal used, BigDecimal capacity) {
        return new Rejection("OutOf" + resource, "Node didn't have enough resource: " + resource + ", requested: "
                + units(resource, wanted) + ", used: " + units(resource, used) + ", capacity: "
                + units(resource, capacity));
    }

    /** CPUs in thousandths, all else in its own unit. */
    private static String units(String resource, BigDecimal amount) {
        return (resource.equals("cpu") ? amount.movePointRight(3) : amount).setScale(0, RoundingMode.CEILING)
                .toPlainString();
    }

    private static boolean hasRun(V1Pod pod) {
        return pod.getStatus() != null && pod.getStatus().getContainerStatuses() != null
                && pod.getStatus().getContainerStatuses().stream().anyMatch(s -> s.getContainerID() != null);
    }

    private static boolean isCritical(V1Pod pod) {
        Integer priority = pod.getSpec().getPriority();
        return PodSources.isStatic(pod) || priority != null && priority >= SYSTEM_CRITICAL_PRIORITY;
    }

    private static Map<String, String> selector(V1Pod pod) {
        return pod.getSpec().getNodeSelector() == null ? Map.of() : pod.getSpec().getNodeSelector();
    }

    /**
     * What a pod asks for: containers and sidecars add up; an init container needs its own beside the sidecars that started
     * before it, and the most of these counts; CPU and memory of the pod itself replace the sums; overhead comes on top.
     */
    static Map<String, BigDecimal> requests(V1PodSpec spec) {
        Map<String, BigDecimal> sum = new LinkedHashMap<>();
        for (V1Container container : spec.getContainers()) {
            add(sum, requests(container.getResources()));
        }
        Map<String, BigDecimal> sidecars = new LinkedHashMap<>();
        Map<String, BigDecimal> most = new LinkedHashMap<>();
        for (V1Container init : PodPhases.initContainers(spec)) {
            Map<String, BigDecimal> own = requests(init.getResources());
            add(own, sidecars);
            own.forEach((resource, amount) -> most.merge(resource, amount, BigDecimal::max));
            if (PodPhases.isSidecar(init)) {
                add(sidecars, requests(init.getResources()));
            }
        }
        add(sum, sidecars);
        most.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::max));
        requests(spec.getResources()).forEach((resource, amount) -> {
            if (resource.equals("cpu") || resource.equals("memory") || resource.startsWith("hugepages-")) {
                sum.put(resource, amount);
            }
        });
        add(sum, amounts(spec.getOverhead()));
        return sum;
    }

    private static Map<String, BigDecimal> requests(@Nullable V1ResourceRequirements resources) {
        return amounts(resources == null ? null : resources.getRequests());
    }

    private static Map<String, BigDecimal> amounts(@Nullable Map<String, Quantity> quantities) {
        Map<String, BigDecimal> amounts = new LinkedHashMap<>();
        if (quantities != null) {
            quantities.forEach((resource, quantity) -> amounts.put(resource, quantity.getNumber()));
        }
        return amounts;
    }

    private static void add(Map<String, BigDecimal> to, Map<String, BigDecimal> more) {
        more.forEach((resource, amount) -> to.merge(resource, amount, BigDecimal::add));
    }

    private static BigDecimal number(@Nullable String quantity) {
        return quantity == null ? BigDecimal.ZERO : Quantity.fromString(quantity).getNumber();
    }

    /** The pods among these that count. */
    static List<V1Pod> active(Collection<V1Pod> pods, PodWorkers workers) {
        return pods.stream().filter(p -> {
            PodWorker.State state = workers.state(PodManager.uid(p));
            return state != null && state != PodWorker.State.TERMINATED;
        }).toList();
    }
}
