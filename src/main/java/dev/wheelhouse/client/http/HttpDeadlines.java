package dev.wheelhouse.client.http;

import java.time.Duration;

/**
 * The time limits of the HTTP adapter. A call that breaks one fails with an {@code ApiError} of unknown outcome.
 *
 * @param connect the time to connect
 * @param answer the time to the first byte of an answer, and between two bytes of it; an open watch has no such limit,
 *     because the Reflector closes a watch that is silent for too long
 * @param call the time of a whole call, from the request to the last byte; lists and watches have no such limit
 * @param busy the time for which a call is repeated that a busy server refuses with a Retry-After; lists and watches
 *     are not repeated, because the Reflector does that
 */
public record HttpDeadlines(Duration connect, Duration answer, Duration call, Duration busy) {
    /** Refused calls are not repeated. */
    public HttpDeadlines(Duration connect, Duration answer, Duration call) {
        this(connect, answer, call, Duration.ZERO);
    }

    /** 10 s to connect, 30 s for an answer, 60 s for a call, and 60 s for a call to a busy server. */
    public static HttpDeadlines defaults() {
        return new HttpDeadlines(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60),
                Duration.ofSeconds(60));
    }
}
