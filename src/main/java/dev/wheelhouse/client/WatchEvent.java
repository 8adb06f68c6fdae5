package dev.wheelhouse.client;

import dev.wheelhouse.api.KubeApiException;

/** One event of a watch. */
public sealed interface WatchEvent<T> {
    /** The object was created, or began to match the selectors. */
    record Added<T>(T object) implements WatchEvent<T> {}

    /** The object changed. */
    record Modified<T>(T object) implements WatchEvent<T> {}

    /** The object was deleted, or no longer matches: its last state, at the version of the deletion. */
    record Deleted<T>(T object) implements WatchEvent<T> {}

    /**
     * All events up to this version were sent.
     *
     * @param initialEventsEnd whether this bookmark ends the initial events that {@code sendInitialEvents} asked for
     */
    record Bookmark<T>(String resourceVersion, boolean initialEventsEnd) implements WatchEvent<T> {}

    /** The server ends the watch with an error, often 410 Expired. */
    record Failed<T>(KubeApiException error) implements WatchEvent<T> {}

    /**
     * An event whose object could not be decoded, or was not of the expected type.
     *
     * @param deleted whether the event reported a deletion
     */
    record Undecodable<T>(DecodeFailure failure, boolean deleted) implements WatchEvent<T> {
        /** An event that did not report a deletion. */
        public Undecodable(DecodeFailure failure) {
            this(failure, false);
        }
    }
}
