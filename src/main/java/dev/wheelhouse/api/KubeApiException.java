package dev.wheelhouse.api;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * An API server's error response, or the failure to get a response. The message names the operation and its object.
 * {@link #code()} is the HTTP status, or 0 if there was no response. {@link #reason()} is the reason of the
 * {@code Status} ({@code NotFound}, {@code Conflict}, …), or empty.
 */
@PublicApi
public final class KubeApiException extends RuntimeException {
    /** The longest message of a server that is kept. An event of a watch could bring one of megabytes. */
    private static final int MOST_CHARACTERS = 64 * 1024;

    private final int code;
    private final String reason;
    private final String statusMessage;
    private final @Nullable Duration retryAfter;
    private final boolean unreachable;

    /**
     * @param tried the operation and its object, such as {@code "create pods default/web-1"}
     * @param code the HTTP status
     * @param reason the {@code Status} reason, or empty
     * @param statusMessage the server's own message
     * @param retryAfter the delay that the Retry-After header or the Status' details ask for, capped at
     *     {@link RetryAfter#LONGEST}; null if there is none
     */
    public KubeApiException(String tried, int code, String reason, String statusMessage,
            @Nullable Duration retryAfter) {
        super(tried + ": " + (code == 0 ? "" : code + " ") + (reason.isEmpty() ? "" : cut(reason) + ": ")
                + cut(statusMessage));
        this.code = code;
        this.reason = cut(reason);
        this.statusMessage = cut(statusMessage);
        this.retryAfter = RetryAfter.capped(retryAfter);
        this.unreachable = false;
    }

    private static String cut(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "…";
    }

    /** No response: the connection failed, broke or timed out. Whether a write took effect is unknown. */
    public KubeApiException(String tried, Throwable cause) {
        this(tried, cause, false);
    }

    private KubeApiException(String tried, Throwable cause, boolean unreachable) {
        super(tried + ": " + cause, cause);
        this.code = 0;
        this.reason = "";
        this.statusMessage = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        this.retryAfter = null;
        this.unreachable = unreachable;
    }

    /** No response, because the connection broke, or because no connection to the server can be made. */
    public static KubeApiException unreachable(String tried, Throwable cause) {
        return new KubeApiException(tried, cause, true);
    }

    public int code() {
        return code;
    }

    public String reason() {
        return reason;
    }

    /** The server's own message, which Events and conditions show; the whole message if the server sent none. */
    public String statusMessage() {
        return statusMessage.isEmpty() ? String.valueOf(getMessage()) : statusMessage;
    }

    /** The wait that the server asks for, {@link RetryAfter#LONGEST} at most; null if it asks for none. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /**
     * Whether the connection broke, or no connection to the server can be made. The client logs the begin and the end
     * of such an outage, so a caller does not log this error above level debug.
     */
    public boolean isUnreachable() {
        return unreachable;
    }

    /** Whether no connection to the server could be made, so that no other request would have got an answer either. */
    public boolean isWithoutConnection() {
        return switch (getCause()) {
            case ConnectException e -> true;
            case NoRouteToHostException e -> true;
            case UnknownHostException e -> true;
            case SSLException e -> true;
            case SocketTimeoutException e -> String.valueOf(e.getMessage()).contains("onnect");
            case null, default -> false;
        };
    }

    /** Whether the outcome of a write is unknown: there was no response, or the server reported a timeout. */
    public boolean isUnknownOutcome() {
        return code == 0 || (code == 504 && "Timeout".equals(reason));
    }

    /**
     * Whether the failure says nothing about the object: there was no response, the server failed (5xx) or was too busy
     * (429), or it rejected the client (401, 403). The same request may succeed later without a change to the object. A
     * 403 of admission, such as an exceeded quota, does concern the object. A 403 of authorization is recognised by its
     * message, which names what the user "cannot" do (upstream:
     * {@code apiserver/pkg/endpoints/handlers/responsewriters/errors.go}).
     */
    public boolean isUnrelatedToObject() {
        return code == 0 || code >= 500 || code == 429 || code == 401
                || code == 403 && statusMessage.contains("\" cannot ");
    }

    /** Whether the error has a status, or a reason. A Status in the event of a watch may have the reason alone. */
    private boolean isA(int status, String withReason) {
        return code == status || withReason.equals(reason);
    }

    public boolean isNotFound() {
        return isA(404, "NotFound");
    }

    public boolean isConflict() {
        return code == 409 && !isAlreadyExists();
    }

    public boolean isAlreadyExists() {
        return code == 409 && "AlreadyExists".equals(reason);
    }

    public boolean isForbidden() {
        return isA(403, "Forbidden");
    }

    public boolean isInvalid() {
        return isA(422, "Invalid");
    }

    /** Whether the requested resource version is too old (410). The caller lists again. */
    public boolean isExpired() {
        return isA(410, "Expired") || "Gone".equals(reason);
    }

    /**
     * Whether the server cannot serve the version or the continue token that the request named: it is too old, in the
     * future, malformed or too long. A server that was sick may have sent such a version.
     */
    public boolean isRefusedVersion() {
        return isExpired() || isTooLargeResourceVersion() || isInvalid() || code == 400 || code == 414 || code == 431;
    }

    /** Whether the server has not reached the requested resource version yet. */
    public boolean isTooLargeResourceVersion() {
        return isA(504, "Timeout") && statusMessage.contains("Too large resource version");
    }

    public boolean isTooManyRequests() {
        return isA(429, "TooManyRequests");
    }

    /** Whether the server refused to create the object because its namespace is being deleted. */
    public boolean isNamespaceTerminating() {
        return code == 403 && statusMessage.contains("because it is being terminated");
    }
}
