package dev.wheelhouse.client.decode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.RetryAfter;
import dev.wheelhouse.client.ModelJson;

/** Makes a {@link KubeApiException} of the body of an error answer: a {@code metav1.Status}, or any other text. */
public final class Statuses {
    /** The tags of {@code metav1.Status} in protobuf, and of its details. */
    private static final int MESSAGE = 3 << 3 | WireCursor.DELIMITED;
    private static final int REASON = 4 << 3 | WireCursor.DELIMITED;
    private static final int DETAILS = 5 << 3 | WireCursor.DELIMITED;
    private static final int CODE = 6 << 3;
    private static final int RETRY_AFTER_SECONDS = 5 << 3;

    private Statuses() {}

    /**
     * The error of an answer.
     *
     * @param tried the request, for the message
     * @param code the HTTP status
     * @param retryAfter the wait that the answer's headers ask for, or null
     * @param body the answer; if it is not a Status, its first 300 characters are the message
     */
    public static KubeApiException error(String tried, int code, @Nullable Duration retryAfter, byte[] body) {
        if (WireEnvelope.begins(body, 0, body.length)) {
            try {
                return error(tried, code, retryAfter, WireEnvelope.of(body, 0, body.length).cursor(body));
            } catch (WireException e) {
                return new KubeApiException(tried, code, reason(code), "the server's explanation cannot be read: "
                        + e.problem(), retryAfter);
            }
        }
        JsonNode status;
        try {
            status = ModelJson.read(body, JsonNode.class);
        } catch (JacksonException e) {
            status = null;
        }
        if (status == null || !status.isObject() || !"Status".equals(status.path("kind").asString(""))) {
            String text = new String(body, StandardCharsets.UTF_8).strip();
            return new KubeApiException(tried, code, reason(code), text.isEmpty()
                    ? "the server gave no explanation"
                    : text.length() > 300 ? text.substring(0, 300) + "…" : text, retryAfter);
        }
        return error(tried, code, retryAfter, status);
    }

    /** The error of a watch's ERROR event. */
    static KubeApiException error(String tried, JsonNode status) {
        return error(tried, status.path("code").asInt(500), null, status);
    }

    private static KubeApiException error(String tried, int code, @Nullable Duration retryAfter, JsonNode status) {
        Duration wait = retryAfter != null
                ? retryAfter
                : RetryAfter.ofSeconds(seconds(status.path("details").path("retryAfterSeconds")));
        return new KubeApiException(tried, code, status.path("reason").asString(""),
                status.path("message").asString(""), wait);
    }

    /**
     * The error of a Status in protobuf.
     *
     * @param answered the HTTP status; 0 if the Status has the only one
     * @throws WireException if the bytes are no message
     */
    static KubeApiException error(String tried, int answered, @Nullable Duration retryAfter, WireCursor in) {
        int code = 500;
        String message = "";
        String reason = "";
        long seconds = 0;
        while (in.at < in.end) {
            int tag = in.tag(in.end);
            switch (tag) {
                case MESSAGE -> message = in.text(in.delimited(in.end));
                case REASON -> reason = in.text(in.delimited(in.end));
                case CODE -> code = (int) in.varint(in.end);
                case DETAILS -> seconds = seconds(in, in.delimited(in.end));
                default -> in.skip(tag, in.end);
            }
        }
        return new KubeApiException(tried, answered == 0 ? code : answered, reason, message,
                retryAfter != null ? retryAfter : RetryAfter.ofSeconds(seconds));
    }

    private static long seconds(WireCursor details, int end) {
        long seconds = 0;
        while (details.at < end) {
            int tag = details.tag(end);
            if (tag == RETRY_AFTER_SECONDS) {
                seconds = details.varint(end);
            } else {
                details.skip(tag, end);
            }
        }
        return seconds;
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
