package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.function.Supplier;

import dev.wheelhouse.api.ResourceType;

/**
 * What one informer counts; every method does nothing unless it is overridden. Thread safe implementations are needed: each
 * listener calls from a thread of its own. What is state and not a count is in {@link InformerState}, see {@link #made}.
 */
public interface InformerMetrics extends ReflectorMetrics {
    /** The informer exists. @param state what it knows of itself; may be asked for at any time, from any thread */
    default void made(Supplier<InformerState> state) {}

    /** The informer was stopped for good. */
    default void stopped() {}

    /** The cache has held the whole initial list for the first time. */
    default void synced(Duration sinceStart) {}

    /** A batch that was popped from the DeltaFifo is in the cache, and was handed to the listeners. */
    default void processed(Duration took) {}

    /** A handler was called. @param listener the handler's name */
    default void handled(String listener, Duration took, boolean failed) {}

    /** An update was merged with a later one, as the listener's buffer was over its bound. */
    default void conflated(String listener) {}

    /** Makes the metrics of each informer. */
    @FunctionalInterface
    interface Provider {
        Provider NONE = (type, model, namespace, selector) -> new InformerMetrics() {
        };

        /**
         * @param model the class of the cached objects
         * @param namespace empty for all
         * @param selector what is selected within that, in words; empty for everything
         */
        InformerMetrics forInformer(ResourceType type, Class<?> model, String namespace, String selector);
    }
}
