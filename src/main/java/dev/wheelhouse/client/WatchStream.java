package dev.wheelhouse.client;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;

/** An open watch. One thread reads. Any thread may close it, which ends a read that waits. */
public interface WatchStream<T> extends AutoCloseable {
    /**
     * The next event.
     *
     * @param maxWait the time to wait for an event; an in-process stream never waits
     * @return the event, or null if none came in that time or the stream has ended
     * @throws KubeApiException if the connection broke
     */
    @Nullable
    WatchEvent<T> next(Duration maxWait) throws InterruptedException;

    /**
     * Whether no event will follow, because the server ended the stream without an error or this stream was closed. Up
     * to date after {@link #next} returned null.
     */
    boolean isEnded();

    /**
     * Registers a callback. The thread that brings events, or ends the stream, calls it.
     *
     * @return whether the stream will call; if it does not and {@code next} does not wait, the reader must poll
     */
    default boolean onReady(Runnable wake) {
        return false;
    }

    /**
     * The nanoseconds until {@link #next} has something of which the callback is not told, such as a bookmark;
     * {@link Long#MAX_VALUE} if the callback is told of everything.
     */
    default long untilDue() {
        return Long.MAX_VALUE;
    }

    /**
     * Whether the callback may read the stream and handle its events on the stream's own thread, which reads no further
     * events meanwhile.
     */
    default boolean lendsThread() {
        return false;
    }

    /**
     * Offers the objects of the reader's cache. From then on an event's object may share with the cached version the
     * parts that did not change. The function must be thread safe.
     */
    default void shareWith(Function<ObjectKey, @Nullable T> cache) {}

    /** The bytes read so far; 0 if they are not counted. */
    default long bytesRead() {
        return 0;
    }

    @Override
    void close();
}
