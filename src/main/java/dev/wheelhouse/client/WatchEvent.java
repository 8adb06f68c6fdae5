package dev.wheelhouse.client;

import dev.wheelhouse.api.ApiError;

/** One event of a watch. */
public sealed interface WatchEvent<T> {
    /** The object appeared, or came to match the selectors. */
    record Added<T>(T object) implements WatchEvent<T> {}

    /** The object changed. */
    record Modified<T>(T object) implements WatchEvent<T> {}

    /** The object went, or ceased to match; its last state, at the version of the deletion. */
    record Deleted<T>(T object) implements WatchEvent<T> {}

    /** Nothing up to this version is missing; {@code initialEventsEnd} marks the end of the initial events. */
    record Bookmark<T>(String resourceVersion, boolean initialEventsEnd) implements WatchEvent<T> {}

    /** The server ends the watch with an error, often 410 Expired. */
    record Failed<T>(ApiError error) implements WatchEvent<T> {}

    /**
     * An event whose object could not be decoded, or was not of the expected type.
     *
     * @param deleted whether the event told its deletion
     */
    record Undecodable<T>(DecodeFailure failure, boolean deleted) implements WatchEvent<T> {
        /** One that told no deletion. */
        public Undecodable(DecodeFailure failure) {
            this(failure, false);
        }
    }
}
