package dev.wheelhouse.node;

import java.util.List;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1ContainerStatus;

/**
 * How a pod is, in the runtime's eyes. The statuses are in the order of the spec, one for each container.
 *
 * @param sandboxReady whether the pod's network is set up, so that containers can start
 * @param podIp empty while it has none, or shares its host's
 */
public record PodRuntimeStatus(boolean sandboxReady, String podIp, List<V1ContainerStatus> initContainers,
        List<V1ContainerStatus> containers) {

    public PodRuntimeStatus {
        initContainers = List.copyOf(initContainers);
        containers = List.copyOf(containers);
    }

    /** Whether any container runs. */
    public boolean anyRunning() {
        return Stream.concat(initContainers.stream(), containers.stream())
                .anyMatch(s -> s.getState() != null && s.getState().getRunning() != null);
    }
}
