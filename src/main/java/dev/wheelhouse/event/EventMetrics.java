package dev.wheelhouse.event;

/** The events that the broadcaster counts. Each method does nothing by default. Any thread may call them. */
public interface EventMetrics {
    EventMetrics NONE = new EventMetrics() {
    };

    /** An Event was written: a new one, or a higher count of an existing one. */
    default void written(String component) {}

    /**
     * An Event was dropped.
     *
     * @param why {@code buffer_full}, {@code spam} (too many Events about one object), {@code rejected} (by the server)
     *     or {@code unreachable} (the server did not accept it after all attempts)
     */
    default void dropped(String component, String why) {}
}
