package dev.wheelhouse.podconfig;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.UndeltaStore;
import dev.wheelhouse.runtime.Clock;

/**
 * Supplies the pods that the API server has bound to a node, in all namespaces (upstream:
 * {@code pkg/kubelet/config/apiserver.go}). A Reflector of its own sends the full set after each change, and nothing
 * before its first list is complete.
 */
public final class ApiServerSource extends UndeltaStore<V1Pod> {
    /** @param channel receives the sets, usually the channel {@link PodSources#API} */
    public ApiServerSource(ResourceClient<V1Pod> pods, String nodeName, PodChannel channel, Clock clock) {
        super(pods.listerWatcher("", LabelSelector.everything(), FieldSelector.of("spec.nodeName", nodeName)),
                V1Pod.class, channel::set, InformerOptions.defaults(), clock);
    }

    /** The state of this source. {@link PodStorage#states()} has the time of its last message. */
    public SourceReport report() {
        String error = lastError();
        return new SourceReport(PodSources.API, "", null, error == null ? "" : error, List.of());
    }
}
