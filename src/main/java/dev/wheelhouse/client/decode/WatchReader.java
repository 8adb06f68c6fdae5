package dev.wheelhouse.client.decode;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.client.WatchEvent;

/** Reads the events of one watch as they arrive. Made by {@link ObjectDecoder}. Not thread safe. */
public sealed interface WatchReader<T extends KubernetesObject> permits JsonWatchReader, WireWatchReader {
    /**
     * Reads the next event; null at the end of the stream. An event in which the stream was cut does not count.
     *
     * @throws IOException if the stream breaks, or an event is too large
     */
    @Nullable
    WatchEvent<T> next() throws IOException;

    /** The bytes read so far. */
    long bytesRead();
}
