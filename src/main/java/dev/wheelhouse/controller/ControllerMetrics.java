package dev.wheelhouse.controller;

import dev.wheelhouse.api.ResourceType;

/** What controllers count. Every method does nothing by default; any thread calls them. */
public interface ControllerMetrics {
    ControllerMetrics NONE = new ControllerMetrics() {
    };

    /** A sync ended. @param result {@code done}, {@code requeue_after}, {@code retry} or {@code terminal} */
    default void synced(String controller, String result, long nanos) {}

    /** A sync was put off because a cache had not yet seen the key's own writes. */
    default void putOff(String controller) {}

    /**
     * A write was tried.
     *
     * @param verb {@code create}, {@code update}, {@code update_status}, {@code patch} or {@code delete}
     * @param code the HTTP status of the answer, or 0 when there was none
     */
    default void written(String controller, String verb, ResourceType type, int code) {}

    /** A write was decided, and left undone because the controller only observes. */
    default void planned(String controller, String verb, ResourceType type) {}
}
