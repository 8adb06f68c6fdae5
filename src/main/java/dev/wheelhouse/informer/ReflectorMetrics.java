package dev.wheelhouse.informer;

import java.time.Duration;

/**
 * What a Reflector counts; every method does nothing unless it is overridden. Called from the Reflector's loop.
 */
public interface ReflectorMetrics {
    /** A list of all pages ended. @param items 0 if it failed */
    default void listed(Duration took, int items, boolean succeeded) {}

    /** A list after the first begins. @param cause {@code expired}, {@code error}, … */
    default void relisted(String cause) {}

    default void watchStarted() {}

    /**
     * A watch ended.
     *
     * @param cause {@code ended}, {@code silence}, {@code expired}, {@code throttled} or {@code error}
     * @param events that it brought
     */
    default void watchEnded(String cause, Duration lasted, long events) {}

    default void bytesRead(long bytes) {}

    /** Events that were appended to the DeltaFifo together. */
    default void events(int count) {}

    default void decodeErrors(int count) {}
}
