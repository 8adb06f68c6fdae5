package dev.wheelhouse.apiserver.rest;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.FlowSchemas;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;

/** The result of authenticating and authorizing a request by its head, before its body is read. */
public sealed interface Authorization {
    /** The FlowSchema of the request; null for one without a user, and for one that lasts. */
    FlowSchemas.@Nullable Match flow();

    /**
     * The sender may make the request.
     *
     * @param request with the authenticated user and an empty body
     * @param timeout how long the client waits; null if it does not say, says zero, or opens a watch
     */
    record Granted(ApiRequest request, @Nullable Duration timeout, FlowSchemas.@Nullable Match flow)
            implements
                Authorization {}

    /** The request ends with this answer, and its body need not be read. */
    record Refused(ApiResponse.Content answer, FlowSchemas.@Nullable Match flow) implements Authorization {}
}
