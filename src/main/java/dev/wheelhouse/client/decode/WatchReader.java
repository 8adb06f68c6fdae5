package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.WatchEvent;

/** Reads the events of one watch as they arrive. Made by {@link ObjectDecoder}. Not thread safe. */
public abstract sealed class WatchReader<T extends KubernetesObject> permits JsonWatchReader, WireWatchReader {
    static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";
    static final String ADDED = "ADDED";
    static final String MODIFIED = "MODIFIED";
    static final String DELETED = "DELETED";

    private final String tried;

    WatchReader(String tried) {
        this.tried = tried;
    }

    /** The request, for messages. */
    final String tried() {
        return tried;
    }

    /**
     * Reads the next event; null at the end of the stream. An event in which the stream was cut does not count.
     *
     * @throws IOException if the stream breaks, or an event is too large
     */
    public abstract @Nullable WatchEvent<T> next() throws IOException;

    /** The bytes read so far. */
    public abstract long bytesRead();

    /** @param decode returns the object; or null, and gives the failure to its argument */
    final WatchEvent<T> changed(String type, Function<Consumer<DecodeFailure>, @Nullable T> decode) {
        if (!type.equals(MODIFIED) && !type.equals(ADDED) && !type.equals(DELETED)) {
            return undecodable("type", "unknown event type \"" + type + "\"");
        }
        List<DecodeFailure> failures = new ArrayList<>(1);
        T object = decode.apply(failures::add);
        return object != null
                ? changed(type, object)
                : new WatchEvent.Undecodable<>(failures.getFirst(), type.equals(DELETED));
    }

    /** The event of one of the three types that bring an object. */
    final WatchEvent<T> changed(String type, T object) {
        return switch (type) {
            case ADDED -> new WatchEvent.Added<>(object);
            case DELETED -> new WatchEvent.Deleted<>(object);
            default -> new WatchEvent.Modified<>(object);
        };
    }

    /** @param initialEventsEnd the annotation of a bookmark after the initial events */
    final WatchEvent<T> bookmark(@Nullable String version, @Nullable String initialEventsEnd) {
        return version == null || version.isEmpty()
                ? undecodable("metadata.resourceVersion", "the bookmark has none")
                : new WatchEvent.Bookmark<>(version, "true".equals(initialEventsEnd));
    }

    final WatchEvent<T> undecodable(String field, String problem) {
        return new WatchEvent.Undecodable<>(new DecodeFailure(tried, field, problem));
    }
}
