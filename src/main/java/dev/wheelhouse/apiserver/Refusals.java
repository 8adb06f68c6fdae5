package dev.wheelhouse.apiserver;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

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

    /** Upstream's answer to too many requests ({@code apiserver/pkg/server/filters/priority-and-fairness.go}). */
    static ApiResponse.Content tooManyRequests() {
        return status(429, "Too many requests, please try again later.");
    }

    /** A Status object. For 429 and 503 it advises to retry after a second. */
    static ApiResponse.Content status(int code, String message) {
        boolean again = code == 429 || code == 503;
        ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Failure").put("message", message).put("reason", REASONS.getOrDefault(code, ""));
        if (again) {
            status.putObject("details").put("retryAfterSeconds", RETRY_AFTER_SECONDS);
        }
        status.put("code", code);
        return new ApiResponse.Content(code, "application/json", Json.bytes(status), List.of(),
                again ? RETRY_AFTER_SECONDS : null);
    }
}
