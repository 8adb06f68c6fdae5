package dev.wheelhouse.controller;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

import dev.wheelhouse.api.ResourceType;

/** The events that controllers count. Each method does nothing by default. Any thread may call them. */
public interface ControllerMetrics {
    ControllerMetrics NONE = new ControllerMetrics() {
    };

    /**
     * A controller is managed.
     *
     * @param running whether it runs at this moment
     * @param blocked counts its syncs that have run for so long that they seem to block
     * @param failing counts its keys whose last sync failed
     * @return is called when the controller is not managed any more
     */
    default Runnable managed(String controller, BooleanSupplier running, IntSupplier blocked, IntSupplier failing) {
        return () -> {};
    }

    /** These metrics for one of several shards of a process, whose gauges are added to those of the others. */
    default ControllerMetrics ofShard() {
        return this;
    }

    /** The shard has ended: its gauges do not count any more. */
    default void end() {}

    /** A sync begins on this thread. */
    default SyncTrace begin(String controller, Object key) {
        return SyncTrace.NONE;
    }

    /**
     * A sync ended.
     * @param result see {@link Result#label()}
     * @param nanos the duration in nanoseconds
     */
    default void synced(String controller, String result, long nanos) {}

    /** A sync was delayed because a cache does not show the key's own writes yet. */
    default void delayed(String controller) {}

    /**
     * A write was tried.
     *
     * @param verb see {@link Action.Write#verb()}
     * @param code the HTTP status of the response; 0 if there was none
     */
    default void written(String controller, String verb, ResourceType type, int code) {}

    /** A write was decided on, but not made because the controller only observes. */
    default void planned(String controller, String verb, ResourceType type) {}

    /**
     * Records a value of a metric that one controller has by upstream's name.
     * @param labels the values of the metric's labels, in its order
     */
    default void record(Measure measure, double value, String... labels) {}

    /** Removes the value of a gauge, because the object with these labels is gone. */
    default void remove(Measure gauge, String... labels) {}
}
