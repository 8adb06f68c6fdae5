package dev.wheelhouse.apiserver;

import java.time.Duration;
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
 * @param maxBody the most bytes of a request's body
 * @param ioTimeout after which a client that neither sends nor reads is cut off
 */
public record ApiServerOptions(String address, int port, Clock clock, RandomGenerator random, Retention retention,
        Storage storage, int maxBody, Duration ioTimeout) {

    /** On loopback, at any free port, in memory. */
    public static ApiServerOptions defaults() {
        return new ApiServerOptions("127.0.0.1", 0, Clock.system(), RandomGenerator.of("L64X128MixRandom"),
                Retention.standard(), Storage.inMemory(), 3 * 1024 * 1024, Duration.ofSeconds(30));
    }

    public ApiServerOptions withAddress(String other) {
        return new ApiServerOptions(other, port, clock, random, retention, storage, maxBody, ioTimeout);
    }

    public ApiServerOptions withPort(int other) {
        return new ApiServerOptions(address, other, clock, random, retention, storage, maxBody, ioTimeout);
    }

    public ApiServerOptions withClock(Clock other) {
        return new ApiServerOptions(address, port, other, random, retention, storage, maxBody, ioTimeout);
    }

    public ApiServerOptions withRandom(RandomGenerator other) {
        return new ApiServerOptions(address, port, clock, other, retention, storage, maxBody, ioTimeout);
    }

    public ApiServerOptions withRetention(Retention other) {
        return new ApiServerOptions(address, port, clock, random, other, storage, maxBody, ioTimeout);
    }

    public ApiServerOptions withStorage(Storage other) {
        return new ApiServerOptions(address, port, clock, random, retention, other, maxBody, ioTimeout);
    }
}
