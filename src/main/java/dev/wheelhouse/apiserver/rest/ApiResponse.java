package dev.wheelhouse.apiserver.rest;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** An answer, of whatever transport. */
public sealed interface ApiResponse {
    /**
     * A complete answer.
     *
     * @param warnings for the Warning header
     * @param retryAfter seconds for the Retry-After header, or null
     */
    record Content(int code, String contentType, byte[] body, List<String> warnings,
            @Nullable Integer retryAfter) implements ApiResponse {}

    /** A watch. Who takes it must close it. */
    record Stream(String contentType, WatchFeed feed) implements ApiResponse {}
}
