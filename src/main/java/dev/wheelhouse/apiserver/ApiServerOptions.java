package dev.wheelhouse.apiserver;

import java.security.KeyStore;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.Clock;

/**
 * How the embedded API server runs.
 *
 * @param address to listen on; beyond loopback only with TLS, and only where requests need credentials
 * @param port 0 for any free one
 * @param random for UIDs and generated names; seed it for a run that can be repeated
 * @param retention how much of the past watches can start from
 * @param storage where objects are kept
 * @param limits what one client may ask
 * @param security whom it knows, and what they may do
 * @param tls null for plain HTTP
 * @param externalHost by which clients call it; empty for the address itself
 */
public record ApiServerOptions(String address, int port, Clock clock, RandomGenerator random, Retention retention,
        Storage storage, ApiServerLimits limits, Security security, @Nullable Tls tls, String externalHost) {

    /** On loopback, at any free port, in memory. */
    public static ApiServerOptions defaults() {
        return new ApiServerOptions("127.0.0.1", 0, Clock.system(), RandomGenerator.of("L64X128MixRandom"),
                Retention.standard(), Storage.inMemory(), ApiServerLimits.standard(), Security.none(), null, "");
    }

    public ApiServerOptions withAddress(String other) {
        return new ApiServerOptions(other, port, clock, random, retention, storage, limits, security, tls,
                externalHost);
    }

    public ApiServerOptions withPort(int other) {
        return new ApiServerOptions(address, other, clock, random, retention, storage, limits, security, tls,
                externalHost);
    }

    public ApiServerOptions withClock(Clock other) {
        return new ApiServerOptions(address, port, other, random, retention, storage, limits, security, tls,
                externalHost);
    }

    public ApiServerOptions withRandom(RandomGenerator other) {
        return new ApiServerOptions(address, port, clock, other, retention, storage, limits, security, tls,
                externalHost);
    }

    public ApiServerOptions withRetention(Retention other) {
        return new ApiServerOptions(address, port, clock, random, other, storage, limits, security, tls, externalHost);
    }

    public ApiServerOptions withStorage(Storage other) {
        return new ApiServerOptions(address, port, clock, random, retention, other, limits, security, tls,
                externalHost);
    }

    public ApiServerOptions withLimits(ApiServerLimits other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, other, security, tls,
                externalHost);
    }

    public ApiServerOptions withSecurity(Security other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, other, tls, externalHost);
    }

    public ApiServerOptions withTls(Tls other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, security, other,
                externalHost);
    }

    public ApiServerOptions withExternalHost(String other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, security, tls, other);
    }

    /** By which clients on this machine reach what listens on an address: of all addresses, the loopback one. */
    public static String reachableHost(String address) {
        return switch (address) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]", "0:0:0:0:0:0:0:0" -> "::1";
            default -> address;
        };
    }

    /**
     * How it is served by TLS.
     *
     * @param clientAuthorities a trust store of those whose certificates clients may show for themselves, or null
     * @param renewal asked once a minute for what to serve by from then on; it answers what it is given, if that is still good
     */
    public record Tls(ServingCertificate certificate, @Nullable KeyStore clientAuthorities,
            UnaryOperator<Tls> renewal) {
        /** The same for ever. */
        public Tls(ServingCertificate certificate, @Nullable KeyStore clientAuthorities) {
            this(certificate, clientAuthorities, UnaryOperator.identity());
        }
    }
}
