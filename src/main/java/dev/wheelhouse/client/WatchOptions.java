package dev.wheelhouse.client;

import java.time.Duration;

/**
 * How to watch.
 *
 * @param resourceVersion the version after which events are wanted; empty with {@code sendInitialEvents} for a consistent start
 * @param sendInitialEvents ask for the whole collection as ADDED events first (WatchList, KEP-3157)
 * @param timeout after which the server ends the watch of itself
 */
public record WatchOptions(String resourceVersion, boolean sendInitialEvents, Duration timeout) {}
