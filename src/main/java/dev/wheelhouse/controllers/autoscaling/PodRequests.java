package dev.wheelhouse.controllers.autoscaling;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.api.Absent.orEmpty;

/** The resources that a pod requests (upstream: {@code calculateRequests} in {@code replica_calculator.go}). */
final class PodRequests {
    private static final Set<String> OF_PODS = Set.of("cpu", "memory");

    private PodRequests() {}

    /**
     * The request of one container, else of the pod itself if the pod has any, else of all containers and sidecars.
     *
     * @return thousandths
     * @throws MetricsException if a container has no request, or there is no such container
     */
    static long milli(V1Pod pod, String resource, @Nullable String container) {
        V1PodSpec spec = pod.getSpec();
        if (container == null && requests(spec.getResources()).keySet().stream().anyMatch(PodRequests::isOfPods)) {
            return ofPod(pod, resource);
        }
        List<V1Container> meant = Stream
                .concat(orEmpty(spec.getContainers()).stream(),
                        orEmpty(spec.getInitContainers()).stream().filter(PodRequests::isSidecar))
                .filter(each -> container == null || container.equals(each.getName())).toList();
        if (container != null && meant.isEmpty()) {
            throw new MetricsException("container " + container + " not found in Pod " + name(pod));
        }
        return meant.stream().mapToLong(each -> request(pod, each, resource)).sum();
    }

    private static long request(V1Pod pod, V1Container container, String resource) {
        Quantity request = requests(container.getResources()).get(resource);
        if (request == null) {
            throw new MetricsException("missing request for " + resource + " in container " + container.getName()
                    + " of Pod " + name(pod));
        }
        return milli(request);
    }

    /** The request of a pod that has requests of its own. For a resource that it leaves out, the containers count. */
    private static long ofPod(V1Pod pod, String resource) {
        V1PodSpec spec = pod.getSpec();
        long overhead = milli(orEmpty(spec.getOverhead()).get(resource));
        Quantity own = requests(spec.getResources()).get(resource);
        if (own != null && isOfPods(resource)) {
            return milli(own) + overhead;
        }
        long sum = 0;
        long sidecars = 0;
        long init = 0;
        boolean known = orEmpty(spec.getOverhead()).containsKey(resource);
        for (V1Container container : orEmpty(spec.getContainers())) {
            known |= requests(container.getResources()).containsKey(resource);
            sum += milli(requests(container.getResources()).get(resource));
        }
        for (V1Container container : orEmpty(spec.getInitContainers())) {
            known |= requests(container.getResources()).containsKey(resource);
            long request = milli(requests(container.getResources()).get(resource));
            if (isSidecar(container)) {
                sidecars += request;
                init = Math.max(init, sidecars);
            } else {
                init = Math.max(init, sidecars + request);
            }
        }
        if (!known) {
            throw new MetricsException("missing pod-level request for " + resource + " in Pod " + name(pod));
        }
        return Math.max(sum + sidecars, init) + overhead;
    }

    private static boolean isOfPods(String resource) {
        return OF_PODS.contains(resource) || resource.startsWith("hugepages-");
    }

    private static boolean isSidecar(V1Container container) {
        return "Always".equals(container.getRestartPolicy());
    }

    private static Map<String, Quantity> requests(@Nullable V1ResourceRequirements resources) {
        return resources == null ? Map.of() : orEmpty(resources.getRequests());
    }

    private static long milli(@Nullable Quantity quantity) {
        return quantity == null ? 0 : Quantities.milli(quantity.getNumber());
    }

    private static String name(V1Pod pod) {
        return String.valueOf(pod.getMetadata().getName());
    }
}
