package dev.wheelhouse.apiserver;

import java.time.Duration;

/**
 * The load that clients may put on the embedded API server. The server applies lower limits for connections and watches
 * if the heap or the file descriptors do not suffice.
 *
 * @param body the most bytes of a request's body; more are answered by 413
 * @param headers the most bytes of a request's line and headers; more are answered by 400
 * @param watches the most concurrent watches; one more is answered by 429
 * @param requests the most concurrent requests without watches, waiting ones included; one more is answered
 *         by 429. Exempt requests ({@code Flow.Level.EXEMPT}) may be as many again
 * @param connections the most concurrent connections; near the limit, those that have waited longest for their clients
 *         are closed
 * @param io how long a client may pause in sending or reading before its connection is closed. All headers together,
 *         and the whole body, may take twice as long. A watch notices within half of it that its client is gone
 * @param request the time to answer a request other than a watch; then it is answered by 504
 */
public record ApiServerLimits(int body, int headers, int watches, int requests, int connections, Duration io,
        Duration request) {

    /**
     * 3 MiB of body and a minute for a request, as upstream; 64 KiB of headers; 10,000 watches; 1,000 requests; 12,000
     * connections; 30 seconds of {@code io}.
     */
    public static ApiServerLimits standard() {
        return new ApiServerLimits(3 * 1024 * 1024, 64 * 1024, 10_000, 1_000, 12_000,
                Duration.ofSeconds(30), Duration.ofSeconds(60));
    }
}
