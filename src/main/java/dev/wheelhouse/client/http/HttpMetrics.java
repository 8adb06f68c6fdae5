package dev.wheelhouse.client.http;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The events that connections to API servers count, for client-go's {@code rest_client_*} metrics (upstream: client-go
 * {@code tools/metrics/metrics.go}). Each method does nothing by default. Any thread may call them.
 */
public interface HttpMetrics {
    HttpMetrics NONE = new HttpMetrics() {
    };

    /** A connection to an API server was set up. */
    default void connected() {}

    /**
     * One attempt of a request was answered or failed.
     *
     * @param code the status, or {@code <error>} if there is no answer
     * @param again whether the attempt repeats one that was refused because of an old token or a busy server
     */
    default void attempted(String method, String host, String code, boolean again) {}

    /** A request was sent, and the size of its body is known; 0 without a body. */
    default void sent(String method, String host, long bytes) {}

    /**
     * A request ended and its answer was read, or it failed. Watches are not among these requests.
     *
     * @param bytes the size of the answer's body; negative if there was no answer
     */
    default void ended(String method, String host, long nanos, long bytes) {}

    /**
     * A credential plugin was run.
     *
     * @param code the plugin's exit code; 0 only if the call succeeded
     * @param status {@code no_error}, {@code plugin_execution_error}, {@code plugin_not_found_error} or
     *     {@code client_internal_error}
     */
    default void pluginCalled(int code, String status) {}

    /**
     * A credential plugin gave a client certificate that differs from its last one.
     *
     * @param expires the end of its validity
     * @param lastBegan the begin of the validity of the last one; null if this is the first
     */
    default void pluginCertificate(Instant expires, @Nullable Instant lastBegan) {}

    /**
     * The file of the certificate authorities was read again.
     *
     * @param result {@code success} or {@code failure}; after a failure the old authorities stay in use
     * @param reason {@code unchanged} or {@code updated}; {@code read_error}, {@code empty} or {@code ca_parse_error}
     */
    default void authorityRead(String result, String reason) {}
}
