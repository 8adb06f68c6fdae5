package dev.wheelhouse.apiserver.rest;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.RequestInfo;

/** The decision over a request's head, made before its body is read. */
public sealed interface Entry {
    /**
     * The sender is known and may make the request.
     *
     * @param request with its user, and without its body
     * @param about what is asked, as authorization saw it
     * @param timeout how long the client is ready to wait; null if it did not say
     */
    record Admitted(ApiRequest request, RequestInfo about, @Nullable Duration timeout) implements Entry {}

    /** The request ends here, whatever its body is. */
    record Refused(ApiResponse.Content answer) implements Entry {}
}
