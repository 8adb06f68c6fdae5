package dev.wheelhouse.node;

import java.util.List;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1ContainerStatus;

/**
 * The runtime's status of a pod. It has one container status per container, in the order of the spec.
 *
 * @param sandboxReady whether the pod's network is set up, so that containers can start
 * @param podIp the pod's address; empty if it has none, or uses the host's
 */
public record PodRuntimeStatus(boolean sandboxReady, String podIp, List<V1ContainerStatus> initContainers,
        List<V1ContainerStatus> containers, List<V1ContainerStatus> ephemeral) {

    public PodRuntimeStatus {
        initContainers = List.copyOf(initContainers);
        containers = List.copyOf(containers);
        ephemeral = List.copyOf(ephemeral);
    }

    boolean anyRunning() {
        return Stream.of(initContainers, containers, ephemeral).flatMap(List::stream)
                .anyMatch(s -> s.getState() != null && s.getState().getRunning() != null);
    }
}
