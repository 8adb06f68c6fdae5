package dev.wheelhouse.apiserver;

import java.time.Duration;

/** Limits of an API server of which one differs. */
final class TestLimits {
    private TestLimits() {}

    static ApiServerLimits withBody(int bytes, ApiServerLimits of) {
        return new ApiServerLimits(bytes, of.headers(), of.watches(), of.requests(), of.connections(), of.io(),
                of.request());
    }

    static ApiServerLimits withWatches(int most, ApiServerLimits of) {
        return new ApiServerLimits(of.body(), of.headers(), most, of.requests(), of.connections(), of.io(),
                of.request());
    }

    static ApiServerLimits withRequests(int most, ApiServerLimits of) {
        return new ApiServerLimits(of.body(), of.headers(), of.watches(), most, of.connections(), of.io(),
                of.request());
    }

    static ApiServerLimits withConnections(int most, ApiServerLimits of) {
        return new ApiServerLimits(of.body(), of.headers(), of.watches(), of.requests(), most, of.io(),
                of.request());
    }

    static ApiServerLimits withIo(Duration timeout, ApiServerLimits of) {
        return new ApiServerLimits(of.body(), of.headers(), of.watches(), of.requests(), of.connections(), timeout,
                of.request());
    }
}
