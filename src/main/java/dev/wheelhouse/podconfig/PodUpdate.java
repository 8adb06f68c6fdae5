package dev.wheelhouse.podconfig;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * One operation on some pods of one source. The pods are shared, so nobody may change them.
 *
 * @param source the name of the source; in production one of {@link PodSources}
 */
public record PodUpdate(PodOperation operation, String source, List<V1Pod> pods) {
    public PodUpdate {
        pods = List.copyOf(pods);
    }

    /** The message that these are all pods of the source. */
    public static PodUpdate set(String source, List<V1Pod> pods) {
        return new PodUpdate(PodOperation.SET, source, pods);
    }

    @Override
    public String toString() {
        return operation + " from " + source + " " + pods.stream().map(PodSources::describe).toList();
    }
}
