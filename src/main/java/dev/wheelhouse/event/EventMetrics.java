package dev.wheelhouse.event;

/**
 * The occurrences that the broadcaster counts. Each method does nothing by default. Implementations must be thread
 * safe, because recorders call them too.
 */
public interface EventMetrics {
    EventMetrics NONE = new EventMetrics() {
    };

    /** An Event was written: a new one, or a higher count of an existing one. */
    default void written(String component) {}

    /**
     * An Event was dropped.
     *
     * @param why {@code buffer_full} (or the broadcaster was closed), {@code spam} (too many Events about one object),
     *     {@code rejected} (by the server) or {@code unreachable} (all attempts failed without an answer about the
     *     Event)
     */
    default void dropped(String component, String why) {}
}
