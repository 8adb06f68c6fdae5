package dev.wheelhouse.client;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ResourceType;

/** Forwards every call to another {@code ListerWatcher}. Subclasses override some. As thread safe as that one. */
public abstract class ForwardingListerWatcher<T extends KubernetesObject> implements ListerWatcher<T> {
    private final ListerWatcher<T> source;

    protected ForwardingListerWatcher(ListerWatcher<T> source) {
        this.source = source;
    }

    @Override
    public ResourceType type() {
        return source.type();
    }

    @Override
    public String namespace() {
        return source.namespace();
    }

    @Override
    public String selector() {
        return source.selector();
    }

    @Override
    public ListPage<T> list(ListOptions options) throws InterruptedException {
        return source.list(options);
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        return source.watch(options);
    }
}
