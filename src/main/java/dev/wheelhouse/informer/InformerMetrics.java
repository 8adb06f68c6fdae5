package dev.wheelhouse.informer;

import java.time.Duration;

import dev.wheelhouse.api.ResourceType;

/**
 * What one informer counts; every method does nothing unless it is overridden. Thread safe implementations are needed: each
 * listener calls from a thread of its own. What is state and not a count (synced, objects) is in {@link InformerState}.
 */
public interface InformerMetrics extends ReflectorMetrics {
    /** The cache has held the whole initial list for the first time. */
    default void synced(Duration sinceStart) {}

    /** Objects in the cache, after a change. */
    default void objects(int count) {}

    /** A handler was called. @param listener the handler's name */
    default void handled(String listener, Duration took, boolean failed) {}

    /** An update was merged with a later one, as the listener's buffer was over its bound. */
    default void conflated(String listener) {}

    /** Notifications that wait for a handler, after a batch was added. */
    default void pending(String listener, int count) {}

    /** Makes the metrics of each informer. */
    @FunctionalInterface
    interface Provider {
        Provider NONE = (type, model, namespace) -> new InformerMetrics() {
        };

        /**
         * @param model the class of the cached objects
         * @param namespace empty for all
         */
        InformerMetrics forInformer(ResourceType type, Class<?> model, String namespace);
    }
}
