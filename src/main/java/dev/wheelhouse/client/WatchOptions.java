package dev.wheelhouse.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ShardSelector;

/**
 * The options of a watch.
 *
 * @param resourceVersion the version after which events are wanted; with {@code sendInitialEvents}, empty for a
 *     consistent start
 * @param sendInitialEvents whether the whole collection comes first, as ADDED events (WatchList, KEP-3157)
 * @param timeout the time after which the server ends the watch
 * @param shard the part of the collection that is wanted; null for all. A server that does not know the parameter sends
 *     all
 */
public record WatchOptions(String resourceVersion, boolean sendInitialEvents, Duration timeout,
        @Nullable ShardSelector shard) {

    /** The options of a watch of the whole collection. */
    public WatchOptions(String resourceVersion, boolean sendInitialEvents, Duration timeout) {
        this(resourceVersion, sendInitialEvents, timeout, null);
    }

    /** These options for a part of the collection. */
    public WatchOptions of(ShardSelector part) {
        return new WatchOptions(resourceVersion, sendInitialEvents, timeout, part);
    }
}
