package dev.wheelhouse.api;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What an API server answered instead of success, or why it could not be asked. The message names what was tried and on
 * what; {@link #code()} is the HTTP status, or 0 when there was no answer; {@link #reason()} is the {@code Status} reason
 * ({@code NotFound}, {@code Conflict}, …) or empty.
 */
public final class ApiError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final String reason;
    private final String statusMessage;
    private final @Nullable Duration retryAfter;

    /**
     * @param tried what was tried, on what: {@code "create pods default/web-1"}
     * @param statusMessage the server's own words
     * @param retryAfter how long the server's Retry-After header, or the Status' details, ask to wait; capped at
     *     {@link RetryAfter#LONGEST}
     */
    public ApiError(String tried, int code, String reason, String statusMessage, @Nullable Duration retryAfter) {
        super(tried + ": " + (code == 0 ? "" : code + " ") + (reason.isEmpty() ? "" : reason + ": ") + statusMessage);
        this.code = code;
        this.reason = reason;
        this.statusMessage = statusMessage;
        this.retryAfter = RetryAfter.capped(retryAfter);
    }

    /** There was no answer: the connection failed, broke or timed out. Whether a write happened is then unknown. */
    public ApiError(String tried, Throwable cause) {
        super(tried + ": " + cause, cause);
        this.code = 0;
        this.reason = "";
        this.statusMessage = String.valueOf(cause.getMessage());
        this.retryAfter = null;
    }

    public int code() {
        return code;
    }

    public String reason() {
        return reason;
    }

    public String statusMessage() {
        return statusMessage;
    }

    /** How long the server asks to wait, {@link RetryAfter#LONGEST} at most; null if it does not. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** No answer came: a write may or may not have happened. */
    public boolean isUnknownOutcome() {
        return code == 0 || (code == 504 && "Timeout".equals(reason));
    }

    /**
     * Nothing was said about the object: there was no answer, or the server was unable, too busy, or took nobody's credentials. The
     * same request may succeed as soon as the server is well.
     */
    public boolean isOfServer() {
        return code == 0 || code >= 500 || code == 429 || code == 401 || code == 403;
    }

    public boolean isNotFound() {
        return code == 404;
    }

    public boolean isConflict() {
        return code == 409 && !isAlreadyExists();
    }

    public boolean isAlreadyExists() {
        return code == 409 && "AlreadyExists".equals(reason);
    }

    public boolean isForbidden() {
        return code == 403;
    }

    public boolean isInvalid() {
        return code == 422;
    }

    /** The asked resource version is gone: list again. */
    public boolean isExpired() {
        return code == 410;
    }

    /** The server is not yet as new as the asked resource version. */
    public boolean isTooLargeResourceVersion() {
        return code == 504 && statusMessage.contains("Too large resource version");
    }

    public boolean isTooManyRequests() {
        return code == 429;
    }

    /** The namespace is being terminated, so nothing new may be created in it. */
    public boolean isNamespaceTerminating() {
        return code == 403 && statusMessage.contains("because it is being terminated");
    }
}
