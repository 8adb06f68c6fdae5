package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.function.Supplier;

import dev.wheelhouse.api.ResourceType;

/**
 * The events that one informer counts. Each method does nothing by default. Implementations must be thread safe,
 * because each listener calls them from its own thread. Gauges are read from the {@link InformerState} that
 * {@link #made} supplies.
 */
public interface InformerMetrics extends ReflectorMetrics {
    /**
     * The informer was created.
     * @param state supplies its current state; any thread may call it at any time
     */
    default void made(Supplier<InformerState> state) {}

    /** The informer was stopped for good. */
    default void stopped() {}

    /** The cache holds the whole initial list for the first time. */
    default void synced(Duration sinceStart) {}

    /** A batch from the DeltaFifo was applied to the cache and passed to the listeners. */
    default void processed(Duration took) {}

    /**
     * A handler was called.
     * @param failed whether the handler threw
     */
    default void handled(Duration took, boolean failed) {}

    /** An update was merged with a later one, because the listener's buffer was over its bound. */
    default void conflated() {}

    /** Creates the metrics of each informer. */
    @FunctionalInterface
    interface Provider {
        Provider NONE = (type, model, namespace, selector) -> new InformerMetrics() {
        };

        /**
         * @param model the class of the cached objects
         * @param namespace the namespace; empty for all
         * @param selector the label and field selectors as text; empty for everything
         */
        InformerMetrics forInformer(ResourceType type, Class<?> model, String namespace, String selector);
    }
}
