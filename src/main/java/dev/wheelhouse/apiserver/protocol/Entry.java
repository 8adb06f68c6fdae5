package dev.wheelhouse.apiserver.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** The decision over a request's head, made before its body is read. */
public sealed interface Entry {
    /**
     * The sender is known and may make the request.
     *
     * @param request with its user, and without its body
     * @param timeout how long the client is ready to wait; null if it did not say
     */
    record Admitted(ApiRequest request, @Nullable Duration timeout) implements Entry {}

    /** The request ends here, whatever its body is. */
    record Refused(ApiResponse.Content answer) implements Entry {}
}
