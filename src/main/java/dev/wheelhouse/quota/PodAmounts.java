package dev.wheelhouse.quota;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The requests and limits of a whole pod, from its specification and, while it is being resized, from its status: what
 * the quotas, the scheduler and the nodes count (upstream: {@code component-helpers/resource/helpers.go}).
 */
public final class PodAmounts {
    private final V1Pod pod;
    private final boolean limits;
    /** The amounts that count for a container that lists none. */
    private final Map<String, Quantity> assumed;

    private PodAmounts(V1Pod pod, boolean limits, Map<String, Quantity> assumed) {
        this.pod = pod;
        this.limits = limits;
        this.assumed = assumed;
    }

    /** The requests, the pod's overhead included. */
    public static Map<String, Quantity> requests(V1Pod pod) {
        return requests(pod, Map.of());
    }

    /** The requests, if containers without a request of a resource have the assumed one. */
    public static Map<String, Quantity> requests(V1Pod pod, Map<String, Quantity> assumed) {
        if (pod.getSpec() == null) {
            return Map.of();
        }
        Map<String, Quantity> sum = new PodAmounts(pod, false, assumed).total();
        return Amounts.sum(sum, Amounts.orEmpty(pod.getSpec().getOverhead()));
    }

    /** The limits. The overhead is added only to a limit above zero. */
    public static Map<String, Quantity> limits(V1Pod pod) {
        Map<String, Quantity> sum = new PodAmounts(pod, true, Map.of()).total();
        Amounts.orEmpty(pod.getSpec().getOverhead()).forEach((name, amount) -> sum.computeIfPresent(name,
                (n, limit) -> limit.getNumber().signum() == 0 ? limit : Amounts.sum(limit, amount)));
        return sum;
    }

    /** Whether the pod as a whole has a request or limit that a pod may have. */
    static boolean hasOwn(V1Pod pod) {
        V1ResourceRequirements own = pod.getSpec().getResources();
        return own != null && Stream
                .concat(Amounts.orEmpty(own.getRequests()).keySet().stream(),
                        Amounts.orEmpty(own.getLimits()).keySet().stream())
                .anyMatch(PodAmounts::mayBeOfPod);
    }

    private static boolean mayBeOfPod(String resource) {
        return resource.equals("cpu") || resource.equals("memory") || resource.startsWith("hugepages-");
    }

    private Map<String, Quantity> total() {
        Map<String, Quantity> sum = ofContainers();
        listed(pod.getSpec().getResources()).forEach((name, amount) -> {
            if (mayBeOfPod(name)) {
                sum.put(name, amount);
            }
        });
        return sum;
    }

    /**
     * The sum over the containers that run at the same time, or the highest demand during the start if that is more. A
     * sidecar counts from its start on.
     */
    private Map<String, Quantity> ofContainers() {
        Map<String, Quantity> running = new TreeMap<>();
        for (V1Container container : orEmpty(pod.getSpec().getContainers())) {
            running = Amounts.sum(running, effective(container));
        }
        Map<String, Quantity> sidecars = Map.of();
        Map<String, Quantity> peak = Map.of();
        for (V1Container container : orEmpty(pod.getSpec().getInitContainers())) {
            if ("Always".equals(container.getRestartPolicy())) {
                Map<String, Quantity> amounts = effective(container);
                running = Amounts.sum(running, amounts);
                sidecars = Amounts.sum(sidecars, amounts);
                peak = Amounts.max(peak, sidecars);
            } else {
                peak = Amounts.max(peak, Amounts.sum(wanted(container), sidecars));
            }
        }
        return Amounts.max(running, peak);
    }

    /**
     * The amounts of one container: while the node has not carried out a resize, the larger of the old and the new.
     * A resize that the node refuses does not count.
     */
    private Map<String, Quantity> effective(V1Container container) {
        Map<String, Quantity> wanted = wanted(container);
        V1ContainerStatus status = status(container.getName());
        if (status == null || status.getResources() == null) {
            return wanted;
        }
        Map<String, Quantity> actual = listed(status.getResources());
        Map<String, Quantity> granted = limits ? actual : Amounts.max(actual, status.getAllocatedResources());
        return isRefused() ? granted : Amounts.max(wanted, granted);
    }

    private Map<String, Quantity> wanted(V1Container container) {
        Map<String, Quantity> listed = listed(container.getResources());
        if (assumed.isEmpty()) {
            return listed;
        }
        Map<String, Quantity> wanted = new TreeMap<>(assumed);
        wanted.putAll(listed);
        return wanted;
    }

    private @Nullable V1ContainerStatus status(String container) {
        return pod.getStatus() == null
                ? null
                : Stream.of(pod.getStatus().getContainerStatuses(), pod.getStatus().getInitContainerStatuses())
                        .flatMap(list -> orEmpty(list).stream()).filter(each -> container.equals(each.getName()))
                        .findFirst().orElse(null);
    }

    private boolean isRefused() {
        return pod.getStatus() != null && orEmpty(pod.getStatus().getConditions()).stream()
                .filter(condition -> "PodResizePending".equals(condition.getType())).findFirst()
                .filter(condition -> "Infeasible".equals(condition.getReason())).isPresent();
    }

    private Map<String, Quantity> listed(@Nullable V1ResourceRequirements resources) {
        return resources == null ? Map.of() : Amounts.orEmpty(limits ? resources.getLimits() : resources.getRequests());
    }
}
