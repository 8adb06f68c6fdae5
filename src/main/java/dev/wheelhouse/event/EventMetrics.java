package dev.wheelhouse.event;

/** What the event broadcaster counts. Every method does nothing by default; any thread calls them. */
public interface EventMetrics {
    EventMetrics NONE = new EventMetrics() {
    };

    /** An Event was written, as a new one or as a higher count of one that is there. */
    default void written(String component) {}

    /**
     * An Event was not written.
     *
     * @param why {@code buffer_full}, {@code spam} (too many about one object), {@code rejected} (the server refused it) or
     *     {@code unreachable} (given up after many tries)
     */
    default void dropped(String component, String why) {}
}
