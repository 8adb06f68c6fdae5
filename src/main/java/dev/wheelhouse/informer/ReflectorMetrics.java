package dev.wheelhouse.informer;

import java.time.Duration;

/** The events that a Reflector counts. Each method does nothing by default. Only the Reflector's loop calls them. */
public interface ReflectorMetrics {
    /**
     * A list ended, with all its pages.
     * @param items the number of objects; 0 if the list failed
     */
    default void listed(Duration took, int items, boolean succeeded) {}

    /**
     * The collection is read again from the start.
     * @param cause {@code expired}, {@code too large resource version}, {@code refused}, {@code not found}, or that the
     *     server does not know the last version
     */
    default void relisted(String cause) {}

    default void watchStarted() {}

    /**
     * A watch ended.
     *
     * @param cause {@code ended}, {@code silence}, {@code expired}, {@code throttled} or {@code error}
     * @param events the events that it delivered
     */
    default void watchEnded(String cause, Duration lasted, long events) {}

    default void bytesRead(long bytes) {}

    /** Events were read from a watch in one step, bookmarks included. */
    default void events(int count) {}

    default void decodeErrors(int count) {}
}
