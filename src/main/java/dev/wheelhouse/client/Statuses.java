package dev.wheelhouse.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ApiError;

/** Turns a {@code metav1.Status}, or whatever else came in its place, into an {@link ApiError}. */
final class Statuses {
    private Statuses() {}

    /**
     * @param code the HTTP status
     * @param retryAfter the Retry-After header, or null
     * @param body the answer, perhaps a Status
     */
    static ApiError error(String tried, int code, @Nullable String retryAfter, byte[] body) {
        JsonNode status;
        try {
            status = ModelJson.read(body, JsonNode.class);
        } catch (JacksonException e) {
            status = null;
        }
        if (status == null || !status.isObject() || !"Status".equals(status.path("kind").asString(""))) {
            String text = new String(body, StandardCharsets.UTF_8).strip();
            return new ApiError(tried, code, reason(code), text.isEmpty()
                    ? "the server gave no explanation"
                    : text.length() > 300 ? text.substring(0, 300) + "…" : text, seconds(retryAfter));
        }
        return error(tried, code, retryAfter, status);
    }

    /** The error of a watch event. */
    static ApiError error(String tried, JsonNode status) {
        return error(tried, status.path("code").asInt(500), null, status);
    }

    private static ApiError error(String tried, int code, @Nullable String retryAfter, JsonNode status) {
        Duration wait = seconds(retryAfter);
        int detail = status.path("details").path("retryAfterSeconds").asInt(0);
        if (wait == null && detail > 0) {
            wait = Duration.ofSeconds(detail);
        }
        return new ApiError(tried, code, status.path("reason").asString(""), status.path("message").asString(""), wait);
    }

    private static @Nullable Duration seconds(@Nullable String header) {
        if (header == null) {
            return null;
        }
        try {
            long seconds = Long.parseLong(header.strip());
            return seconds < 0 ? null : Duration.ofSeconds(seconds);
        } catch (NumberFormatException e) {
            // The header's other form is a date, which API servers do not send.
            return null;
        }
    }

    private static String reason(int code) {
        return switch (code) {
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 410 -> "Expired";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            default -> "";
        };
    }
}
