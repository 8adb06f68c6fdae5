package dev.wheelhouse.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ApiError;

/** An open watch. One thread reads; any thread may close, which ends a read that waits. */
public interface WatchStream<T> extends AutoCloseable {
    /**
     * The next event.
     *
     * @param maxWait how long to wait for one; an in-process stream never waits
     * @return the event, or null if none came in that time, or the stream has ended
     * @throws ApiError if the connection broke
     */
    @Nullable
    WatchEvent<T> next(Duration maxWait) throws InterruptedException;

    /** Whether the other side ended the stream in good order and no event is left. */
    boolean isEnded();

    /**
     * Asks to be told when {@link #next} may have something: for a stream whose {@code next} never waits. It calls back from
     * whatever thread brings an event, or the end.
     *
     * @return whether it will; if not, and if {@code next} does not wait, the reader has to look again from time to time
     */
    default boolean onReady(Runnable wake) {
        return false;
    }

    /** Bytes read so far, 0 where there are none to count. */
    default long bytesRead() {
        return 0;
    }

    @Override
    void close();
}
