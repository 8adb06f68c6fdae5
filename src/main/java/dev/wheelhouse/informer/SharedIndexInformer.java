package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * A cache of one resource type that follows the API server and passes each change to its handlers (upstream: client-go
 * {@code tools/cache/shared_informer.go}). Thread safe.
 */
public interface SharedIndexInformer<T> {
    ResourceType type();

    /**
     * The informer of the objects of a namespace: this one, unless each namespace has its own. Null if this one does
     * not follow the namespace at the moment.
     */
    default @Nullable SharedIndexInformer<T> of(String namespace) {
        return this;
    }

    /**
     * Registers a handler, before or after the start. After the start, the handler first gets an add for each cached
     * object. Its resync period is the one of {@link InformerOptions#minResync}.
     *
     * @throws IllegalStateException if the informer was stopped
     */
    default Registration addEventHandler(ResourceEventHandler<T> handler) {
        return addEventHandler(handler, null);
    }

    /**
     * Registers a handler that also gets {@code onUpdate(x, x)} for every cached object once per {@code resyncPeriod}.
     * @param resyncPeriod null for that of {@link InformerOptions#minResync}; zero for no resync; a shorter one than a
     *     second counts as a second
     * @throws IllegalArgumentException if the period is negative
     * @throws IllegalStateException if the informer was stopped
     */
    Registration addEventHandler(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod);

    /** The cached objects. */
    Indexer<T> getIndexer();

    /**
     * Sets a function that each object passes before it is cached, for example to drop fields that nobody reads. The
     * function may change the object that it gets. An object on which it fails is logged, counted and left out of the
     * cache.
     *
     * @throws IllegalStateException if the informer has started
     */
    void setTransform(UnaryOperator<T> transform);

    /**
     * Sets a function that gets the error of each list and each watch that fails, before the informer waits and tries
     * again. It must not block. The informer has one such function: the last one that is set.
     *
     * @throws IllegalStateException if the informer has started
     */
    void setWatchErrorHandler(Consumer<? super KubeApiException> handler);

    /** Whether the informer was stopped. A stopped informer takes no further handlers and cannot be started again. */
    boolean isStopped();

    /** Whether the cache has held the whole initial list. */
    boolean hasSynced();

    /**
     * Calls an action once, as soon as {@link #hasSynced} is true: at once if it is. Otherwise the informer's loop
     * calls the action, so it must not block.
     */
    void whenSynced(Runnable action);

    /**
     * Calls an action once, as soon as the cache holds a state that the API server had at a time or later: at once if
     * it does. If the cache may be older, the informer reads from the server, by a consistent read of a small
     * collection, or by a watch of a large one. The informer's loop then calls the action, so it must not block. The
     * action is not called if the informer is stopped.
     *
     * @param since a time of the informer's clock, in nanoseconds
     */
    void whenFresh(long since, Runnable action);

    /** The resource version that the cache has reached; empty before it has synced. */
    String resourceVersion();

    /**
     * Adds an action that is called whenever {@link InformerState.Counts#unreadable} changes, on the informer's thread,
     * so it must not block.
     */
    default void onUnreadable(Runnable action) {}

    /**
     * Adds an action that is called whenever a list has replaced the cached objects, with the version that the cache
     * had reached before. Of an object that came and went in between, no handler hears. It is called on the informer's
     * thread, so it must not block.
     */
    default void onReplaced(Consumer<String> action) {}

    /**
     * Compares the cached objects with what they were when they came, if {@link InformerOptions#detectMutations} is on.
     *
     * @param who has just had the objects in hand; messages name it
     */
    default void checkUnchanged(String who) {}

    /** The state of the informer at this moment. Never blocks for I/O. */
    InformerState state();

    /** The cached object; null if there is none. */
    default @Nullable T get(ObjectKey key) {
        return getIndexer().get(key);
    }

    /** The registration of one handler. */
    interface Registration {
        /** Whether the handler was called for every object of the initial list. */
        boolean hasSynced();

        /**
         * Calls an action once, as soon as {@link #hasSynced} is true: at once if it is. Otherwise a thread of the
         * informer or of its handlers calls it, so it must not block. It is not called for a handler that was removed.
         */
        void whenSynced(Runnable action);

        /** Removes the handler. A call in progress completes; no further call follows. */
        void remove();
    }
}
