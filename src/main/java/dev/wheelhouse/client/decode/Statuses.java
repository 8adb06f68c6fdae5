package dev.wheelhouse.client.decode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.RetryAfter;
import dev.wheelhouse.client.ModelJson;

/** Makes an {@link ApiError} of the body of an error answer: a {@code metav1.Status}, or any other text. */
public final class Statuses {
    private Statuses() {}

    /**
     * The error of an answer.
     *
     * @param tried the request, for the message
     * @param code the HTTP status
     * @param retryAfter the wait that the answer's headers ask for, or null
     * @param body the answer; if it is not a Status, its first 300 characters are the message
     */
    public static ApiError error(String tried, int code, @Nullable Duration retryAfter, byte[] body) {
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
                    : text.length() > 300 ? text.substring(0, 300) + "…" : text, retryAfter);
        }
        return error(tried, code, retryAfter, status);
    }

    /** The error of a watch's ERROR event. */
    static ApiError error(String tried, JsonNode status) {
        return error(tried, status.path("code").asInt(500), null, status);
    }

    private static ApiError error(String tried, int code, @Nullable Duration retryAfter, JsonNode status) {
        Duration wait = retryAfter != null
                ? retryAfter
                : RetryAfter.ofSeconds(seconds(status.path("details").path("retryAfterSeconds")));
        return new ApiError(tried, code, status.path("reason").asString(""), status.path("message").asString(""), wait);
    }

    private static long seconds(JsonNode detail) {
        // A number that is too large for a long still asks for a long wait.
        return detail.isNumber() ? detail.asLong(Long.MAX_VALUE) : 0;
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
