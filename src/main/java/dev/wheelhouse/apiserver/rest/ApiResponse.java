package dev.wheelhouse.apiserver.rest;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** An answer, of whatever transport. */
public sealed interface ApiResponse {
    /**
     * A complete answer.
     *
     * @param warnings for the Warning header
     * @param retryAfter seconds for the Retry-After header, or null
     * @param headers more headers, over the transport's own
     */
    record Content(int code, String contentType, byte[] body, List<String> warnings, @Nullable Integer retryAfter,
            Map<String, String> headers) implements ApiResponse {

        /** An answer without more headers. */
        public Content(int code, String contentType, byte[] body, List<String> warnings,
                @Nullable Integer retryAfter) {
            this(code, contentType, body, warnings, retryAfter, Map.of());
        }
    }

    /** A watch. Who takes it must close it. */
    record Stream(String contentType, WatchFeed feed) implements ApiResponse {}
}
