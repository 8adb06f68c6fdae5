package dev.wheelhouse.apiserver;

import java.util.random.RandomGenerator;

import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.Clock;

/**
 * How the embedded API server runs.
 *
 * @param address to listen on; the loopback one unless told otherwise, since the server asks nobody who they are
 * @param port 0 for any free one
 * @param random for UIDs and generated names; seed it for a run that can be repeated
 * @param retention how much of the past watches can start from
 * @param storage where objects are kept
 * @param limits what one client may ask
 */
public record ApiServerOptions(String address, int port, Clock clock, RandomGenerator random, Retention retention,
        Storage storage, ApiServerLimits limits) {

    /** On loopback, at any free port, in memory. */
    public static ApiServerOptions defaults() {
        return new ApiServerOptions("127.0.0.1", 0, Clock.system(), RandomGenerator.of("L64X128MixRandom"),
                Retention.standard(), Storage.inMemory(), ApiServerLimits.standard());
    }

    public ApiServerOptions withAddress(String other) {
        return new ApiServerOptions(other, port, clock, random, retention, storage, limits);
    }

    public ApiServerOptions withPort(int other) {
        return new ApiServerOptions(address, other, clock, random, retention, storage, limits);
    }

    public ApiServerOptions withClock(Clock other) {
        return new ApiServerOptions(address, port, other, random, retention, storage, limits);
    }

    public ApiServerOptions withRandom(RandomGenerator other) {
        return new ApiServerOptions(address, port, clock, other, retention, storage, limits);
    }

    public ApiServerOptions withRetention(Retention other) {
        return new ApiServerOptions(address, port, clock, random, other, storage, limits);
    }

    public ApiServerOptions withStorage(Storage other) {
        return new ApiServerOptions(address, port, clock, random, retention, other, limits);
    }

    public ApiServerOptions withLimits(ApiServerLimits other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, other);
    }
}
