package dev.wheelhouse.client.decode;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.client.WatchEvent;

/** Reads the events of one watch as they arrive. Made by {@link ObjectDecoder#readWatch}. Not thread safe. */
public final class WatchReader<T extends KubernetesObject> {
    private final WatchFrames frames;
    private final EventDecoder<T> decoder;

    WatchReader(WatchFrames frames, EventDecoder<T> decoder) {
        this.frames = frames;
        this.decoder = decoder;
    }

    /**
     * Reads the next event; null at the end of the stream. A last event without a line end counts if it decodes;
     * otherwise the stream was cut within that event.
     *
     * @throws IOException if the stream breaks, or an event is too large
     */
    public @Nullable WatchEvent<T> next() throws IOException {
        boolean complete = frames.next();
        if (!complete && frames.from() == frames.to()) {
            return null;
        }
        WatchEvent<T> event = decoder.decode(frames.buffer(), frames.from(), frames.to());
        if (complete) {
            return event;
        }
        frames.clear();
        return event instanceof WatchEvent.Undecodable ? null : event;
    }

    /** The bytes read so far. */
    public long bytesRead() {
        return frames.bytesRead();
    }
}
