package dev.wheelhouse.informer;

import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.runtime.Loop;

/**
 * The informers of one shard of the namespaces. Informers of a namespaced type in all namespaces hold the objects of
 * the shard, and end with it. Informers of cluster-scoped types and of named namespaces are those of the process.
 * Thread safe.
 */
public final class ShardInformers implements SharedInformerFactory, AutoCloseable {
    private final SharedInformerFactory process;
    private final InformerFactory shard;

    public ShardInformers(InformerFactory process, ShardSelector shard) {
        this.process = process;
        this.shard = process.of(shard);
        process.startedOn().ifPresent(this.shard::start);
    }

    private SharedInformerFactory of(ResourceType type, String namespace) {
        return type.namespaced() && namespace.isEmpty() ? shard : process;
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted) {
        return of(wanted.type(), wanted.namespace()).informer(wanted);
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted,
            NamespaceSet namespaces) {
        return process.informer(wanted, namespaces);
    }

    @Override
    public SharedIndexInformer<? extends KubernetesObject> metadataOrMore(ResourceType type) {
        return of(type, "").metadataOrMore(type);
    }

    @Override
    public void startNew() {
        process.startNew();
        shard.startNew();
    }

    /** Stops an informer of the shard. An informer of the process stays, because others may use it. */
    @Override
    public void stop(SharedIndexInformer<?> informer) {
        shard.stop(informer);
    }

    @Override
    public boolean hasSynced() {
        return shard.hasSynced();
    }

    @Override
    public List<SharedIndexInformer<?>> informers() {
        return shard.informers();
    }

    @Override
    public List<InformerState> states() {
        return shard.states();
    }

    /** The informers of the shard alone, for a system that is stepped by hand: see {@link InformerFactory#loops}. */
    public List<Loop> loops() {
        return shard.loops();
    }

    /** Stops the informers of the shard. */
    @Override
    public void close() {
        shard.close();
    }
}
