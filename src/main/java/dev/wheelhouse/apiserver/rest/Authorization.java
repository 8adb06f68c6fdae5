package dev.wheelhouse.apiserver.rest;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;

/** The decision over a request's head, made before its body is read. */
public sealed interface Authorization {
    /**
     * The sender is known and may make the request.
     *
     * @param request with its user, and without its body
     * @param timeout how long the client is ready to wait; null if it did not say
     */
    record Granted(ApiRequest request, @Nullable Duration timeout) implements Authorization {}

    /** The request ends here, whatever its body is. */
    record Refused(ApiResponse.Content answer) implements Authorization {}
}
