package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.function.UnaryOperator;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * A cache of one resource type that follows the API server, and tells any number of handlers of each change (upstream:
 * client-go {@code tools/cache/shared_informer.go}).
 */
public interface SharedIndexInformer<T> {
    ResourceType type();

    /** Registers a handler, before start or later; a late one gets an add for each cached object first. */
    Registration addEventHandler(ResourceEventHandler<T> handler);

    /** The same, with {@code onUpdate(x, x)} for every object at each period. */
    Registration addEventHandler(ResourceEventHandler<T> handler, Duration resyncPeriod);

    Indexer<T> getIndexer();

    /**
     * Sets what each object goes through before it is cached, such as a function that drops what nobody reads. It may change
     * the object that it is given. An object that it fails on is reported and left out.
     *
     * @throws IllegalStateException once the informer was started
     */
    void setTransform(UnaryOperator<T> transform);

    /** Whether the cache has held the whole initial list. */
    boolean hasSynced();

    /** Up to which resource version the cache has followed the server; empty before it has synced. */
    String resourceVersion();

    /** What the informer knows of itself; never blocks. */
    InformerState state();

    /** The cached object; null if there is none. */
    default @org.jspecify.annotations.Nullable T get(ObjectKey key) {
        return getIndexer().get(key);
    }

    /** One handler's registration. */
    interface Registration {
        /** Whether the handler has been called for every object of the initial list. */
        boolean hasSynced();

        /** Removes the handler; calls under way end, none follows. */
        void remove();
    }
}
