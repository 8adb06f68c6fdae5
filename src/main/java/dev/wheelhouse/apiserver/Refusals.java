package dev.wheelhouse.apiserver;

import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiResponse;

/** Answers of the transport itself, to requests that do not reach the REST logic. */
final class Refusals {
    private static final Map<Integer, String> REASONS = Map.ofEntries(Map.entry(400, "BadRequest"),
            Map.entry(401, "Unauthorized"), Map.entry(403, "Forbidden"), Map.entry(404, "NotFound"),
            Map.entry(405, "MethodNotAllowed"), Map.entry(408, "Timeout"), Map.entry(409, "Conflict"),
            Map.entry(410, "Expired"), Map.entry(413, "RequestEntityTooLarge"),
            Map.entry(415, "UnsupportedMediaType"), Map.entry(422, "Invalid"), Map.entry(429, "TooManyRequests"),
            Map.entry(500, "InternalError"), Map.entry(503, "ServiceUnavailable"), Map.entry(504, "Timeout"));
    private static final int RETRY_AFTER_SECONDS = 1;

    private Refusals() {}

    /** A Status object. For 429 and 503 it advises to retry after a second. */
    static ApiResponse.Content status(int code, String message) {
        return answer(Errors.status(code, REASONS.getOrDefault(code, ""), message, code == 429 || code == 503
                ? Json.object().put("retryAfterSeconds", RETRY_AFTER_SECONDS)
                : null));
    }

    /** A Status object as upstream makes it of an error of Go, without a reason except for 503. */
    static ApiResponse.Content unexplained(int code, String message) {
        return answer(Errors.status(code, code == 503 ? "ServiceUnavailable" : "", message, null));
    }

    /** The answer to a request that failed before the REST logic could answer it. */
    static ApiResponse.Content of(StatusException failure) {
        return answer(failure.status());
    }

    private static ApiResponse.Content answer(ObjectNode status) {
        int retryAfter = (int) Json.number(status, 0, "details", "retryAfterSeconds");
        return ApiResponse.Content.json((int) Json.number(status, 500, "code"), "application/json",
                Json.bytes(status), retryAfter == 0 ? null : Integer.valueOf(retryAfter));
    }
}
