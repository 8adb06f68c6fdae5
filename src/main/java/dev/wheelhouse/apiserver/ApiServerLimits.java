package dev.wheelhouse.apiserver;

import java.time.Duration;

/**
 * What one client may ask of the embedded API server.
 *
 * @param body the most bytes of a request's body; more is answered by 413
 * @param headers the most bytes of a request's line and headers; more is answered by 400
 * @param watches the most watches over HTTP at a time; one more is answered by 429
 * @param requests the most requests over HTTP that are answered at a time, watches apart; one more is answered by 429
 * @param connections the most connections at a time; more wait to be accepted
 * @param io after which a client that neither sends what it announced nor takes what it asked for is cut off; all headers
 *        together, and the whole body, may take twice as long, and within half of it a watch notices that its client has gone
 * @param request the time in which a request is answered, watches apart; 504 after it
 */
public record ApiServerLimits(int body, int headers, int watches, int requests, int connections, Duration io,
        Duration request) {

    /** 3 MiB of body, as upstream; 64 KiB of headers; 10,000 watches; 1,000 requests at a time; 12,000
     * connections; 30 seconds; a minute for a request, as upstream. */
    public static ApiServerLimits standard() {
        return new ApiServerLimits(3 * 1024 * 1024, 64 * 1024, 10_000, 1_000, 12_000,
                Duration.ofSeconds(30), Duration.ofSeconds(60));
    }

    public ApiServerLimits withBody(int bytes) {
        return new ApiServerLimits(bytes, headers, watches, requests, connections, io, request);
    }

    public ApiServerLimits withWatches(int most) {
        return new ApiServerLimits(body, headers, most, requests, connections, io, request);
    }

    public ApiServerLimits withRequests(int most) {
        return new ApiServerLimits(body, headers, watches, most, connections, io, request);
    }

    public ApiServerLimits withIo(Duration timeout) {
        return new ApiServerLimits(body, headers, watches, requests, connections, timeout, request);
    }

    public ApiServerLimits withConnections(int most) {
        return new ApiServerLimits(body, headers, watches, requests, most, io, request);
    }

    public ApiServerLimits withRequest(Duration timeout) {
        return new ApiServerLimits(body, headers, watches, requests, connections, io, timeout);
    }
}
