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
     * @param cause {@code expired}, {@code too large resource version}, {@code refused}, {@code not found}, or a
     *     clause: the server does not know the last version, the last list was empty, or the watch brought an
     *     undecodable object
     */
    default void relisted(String cause) {}

    /** A watch was opened. */
    default void watchStarted() {}

    /**
     * A watch ended.
     *
     * @param cause {@code ended}, {@code silence}, {@code expired}, {@code throttled}, {@code error}; or, if the
     *     collection is listed again as a precaution, {@code undecodable} or {@code doubt} (the last list was empty)
     * @param events the events that it delivered
     */
    default void watchEnded(String cause, Duration lasted, long events) {}

    /** Bytes were read, by a list or a watch. */
    default void bytesRead(long bytes) {}

    /** Events were read from a watch in one step, bookmarks included. */
    default void events(int count) {}

    /** Objects were skipped because they could not be decoded. */
    default void decodeErrors(int count) {}
}
