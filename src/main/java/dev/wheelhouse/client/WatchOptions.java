package dev.wheelhouse.client;

import java.time.Duration;

/**
 * The options of a watch.
 *
 * @param resourceVersion the version after which events are wanted; with {@code sendInitialEvents}, empty for a
 *     consistent start
 * @param sendInitialEvents whether the whole collection comes first, as ADDED events (WatchList, KEP-3157)
 * @param timeout the time after which the server ends the watch
 */
public record WatchOptions(String resourceVersion, boolean sendInitialEvents, Duration timeout) {}
