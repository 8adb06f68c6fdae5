package dev.wheelhouse.podconfig;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.UndeltaStore;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

/**
 * Supplies the pods that the API server has bound to a node, in all namespaces (upstream:
 * {@code pkg/kubelet/config/apiserver.go}). A Reflector of its own sends the full set after each change, and nothing
 * before its first list is complete.
 */
public final class ApiServerSource implements Loop {
    private final UndeltaStore<V1Pod> store;

    /** @param channel receives the sets, usually the channel {@link PodSources#API} */
    public ApiServerSource(ResourceClient<V1Pod> pods, String nodeName, PodChannel channel, Clock clock) {
        this.store = new UndeltaStore<>(
                pods.listerWatcher("", LabelSelector.everything(), FieldSelector.of("spec.nodeName", nodeName)),
                V1Pod.class, channel::set, InformerOptions.defaults(), clock);
    }

    /** Whether the first list is complete. */
    public boolean hasSynced() {
        return store.hasSynced();
    }

    /** The state of this source. {@link PodStorage#states()} has the time of its last message. */
    public SourceReport report() {
        String error = store.lastError();
        return new SourceReport(PodSources.API, "", null, error == null ? "" : error, List.of());
    }

    @Override
    public long step() throws InterruptedException {
        return store.step();
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        store.await(nanos);
    }

    @Override
    public void close() {
        store.close();
    }
}
