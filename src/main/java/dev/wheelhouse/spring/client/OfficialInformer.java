package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.TransformFunc;
import io.kubernetes.client.informer.cache.Indexer;
import io.kubernetes.client.informer.exception.ObjectTransformException;

import dev.wheelhouse.client.ModelJson;

/** The official client's interface of an informer. Thread safe. */
final class OfficialInformer<T extends KubernetesObject> implements SharedIndexInformer<T> {
    private final dev.wheelhouse.informer.SharedIndexInformer<T> informer;
    private final Class<T> model;
    private final Duration resyncPeriod;
    private final Runnable start;
    private final Runnable stop;
    private final OfficialIndexer<T> indexer;

    /** @param resyncPeriod the resync period of handlers that are added without one; zero for no resync */
    OfficialInformer(dev.wheelhouse.informer.SharedIndexInformer<T> informer, Class<T> model, Duration resyncPeriod,
            Runnable start, Runnable stop) {
        this.informer = informer;
        this.model = model;
        this.resyncPeriod = resyncPeriod;
        this.start = start;
        this.stop = stop;
        this.indexer = new OfficialIndexer<>(informer.getIndexer());
    }

    @Override
    public void addEventHandler(ResourceEventHandler<T> handler) {
        informer.addEventHandler(new Handler<>(handler), resyncPeriod);
    }

    @Override
    public void addEventHandlerWithResyncPeriod(ResourceEventHandler<T> handler, long resyncPeriodMillis) {
        var unused = register(handler, resyncPeriodMillis);
    }

    /** Adds a handler that can be removed, which the official interface does not know. */
    dev.wheelhouse.informer.SharedIndexInformer.Registration register(ResourceEventHandler<T> handler,
            long resyncPeriodMillis) {
        return informer.addEventHandler(new Handler<>(handler), Duration.ofMillis(Math.max(0, resyncPeriodMillis)));
    }

    /** The informer behind this one. */
    dev.wheelhouse.informer.SharedIndexInformer<T> engine() {
        return informer;
    }

    private record Handler<T extends KubernetesObject>(ResourceEventHandler<T> handler)
            implements
                dev.wheelhouse.informer.ResourceEventHandler<T> {
        @Override
        public void onAdd(T object, boolean initial) {
            handler.onAdd(ModelJson.copy(object));
        }

        @Override
        public void onUpdate(T before, T after) {
            handler.onUpdate(ModelJson.copy(before), ModelJson.copy(after));
        }

        @Override
        public void onDelete(T object, boolean finalStateUnknown) {
            handler.onDelete(ModelJson.copy(object), finalStateUnknown);
        }
    }

    /** Starts the informer and returns at once. */
    @Override
    public void run() {
        start.run();
    }

    @Override
    public void stop() {
        stop.run();
    }

    @Override
    public boolean hasSynced() {
        return informer.hasSynced();
    }

    @Override
    public String lastSyncResourceVersion() {
        return informer.resourceVersion();
    }

    /** @throws IllegalStateException if the informer has started */
    @Override
    public void setTransform(TransformFunc transform) {
        informer.setTransform(object -> {
            try {
                return model.cast(transform.transform(object));
            } catch (ObjectTransformException e) {
                throw new IllegalArgumentException(e);
            }
        });
    }

    @Override
    public void addIndexers(Map<String, Function<T, List<String>>> indexers) {
        indexer.addIndexers(indexers);
    }

    @Override
    public Indexer<T> getIndexer() {
        return indexer;
    }

    @Override
    public String toString() {
        return informer.toString();
    }
}
