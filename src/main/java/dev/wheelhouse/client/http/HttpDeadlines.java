package dev.wheelhouse.client.http;

import java.time.Duration;

/**
 * How long the HTTP adapter waits before it gives a call up.
 *
 * @param connect for a connection to come up
 * @param answer for the first byte of an answer, and between two bytes of one; an open watch has no such limit, its silence is
 *     the Reflector's business
 * @param call for a whole call, from the request to the last byte, save lists and watches
 */
public record HttpDeadlines(Duration connect, Duration answer, Duration call) {
    public static HttpDeadlines defaults() {
        return new HttpDeadlines(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60));
    }
}
