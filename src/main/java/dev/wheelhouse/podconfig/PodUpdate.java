package dev.wheelhouse.podconfig;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * One operation on some pods of one source. The pods are shared: never change them.
 *
 * @param source the name of the source, one of {@link PodSources} in production
 */
public record PodUpdate(PodOperation operation, String source, List<V1Pod> pods) {
    public PodUpdate {
        pods = List.copyOf(pods);
    }

    /** All that the source has. */
    public static PodUpdate set(String source, List<V1Pod> pods) {
        return new PodUpdate(PodOperation.SET, source, pods);
    }

    @Override
    public String toString() {
        return operation + " from " + source + " " + pods.stream().map(PodSources::describe).toList();
    }
}
