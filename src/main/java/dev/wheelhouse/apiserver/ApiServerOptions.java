package dev.wheelhouse.apiserver;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.audit.AuditLog;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.Clock;

/**
 * The settings of an embedded API server. Immutable.
 *
 * @param address to listen on. Any but loopback requires TLS and a server that is not open
 * @param port 0 for any free port
 * @param random the source of UIDs and generated names; seed it for repeatable runs
 * @param retention how many past changes are kept for watches
 * @param storage where objects are stored
 * @param tls null for plain HTTP
 * @param externalHost the host name by which clients call the server; empty for the address
 * @param runtimeConfig which of the server's own APIs are served
 * @param audit null for none; the server closes it
 */
public record ApiServerOptions(String address, int port, Clock clock, RandomGenerator random, Retention retention,
        Storage storage, ApiServerLimits limits, Security security, @Nullable Tls tls, String externalHost,
        RuntimeConfig runtimeConfig, @Nullable AuditLog audit) {

    /**
     * Listens on loopback at any free port, without TLS and credentials, and keeps objects in memory.
     *
     * @throws MissingLibraryException if the class path lacks libraries that only the embedded API server needs
     */
    public static ApiServerOptions defaults() {
        RequiredLibraries.check();
        return new ApiServerOptions("127.0.0.1", 0, Clock.system(), new SplittableRandom(),
                Retention.standard(), Storage.inMemory(), ApiServerLimits.standard(), Security.none(), null, "",
                RuntimeConfig.standard(), null);
    }

    public ApiServerOptions withAddress(String other) {
        return new ApiServerOptions(other, port, clock, random, retention, storage, limits, security, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withPort(int other) {
        return new ApiServerOptions(address, other, clock, random, retention, storage, limits, security, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withClock(Clock other) {
        return new ApiServerOptions(address, port, other, random, retention, storage, limits, security, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withRandom(RandomGenerator other) {
        return new ApiServerOptions(address, port, clock, other, retention, storage, limits, security, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withStorage(Storage other) {
        return new ApiServerOptions(address, port, clock, random, retention, other, limits, security, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withLimits(ApiServerLimits other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, other, security, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withSecurity(Security other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, other, tls,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withTls(Tls other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, security, other,
                externalHost, runtimeConfig, audit);
    }

    public ApiServerOptions withExternalHost(String other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, security, tls, other,
                runtimeConfig, audit);
    }

    public ApiServerOptions withRuntimeConfig(RuntimeConfig other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, security, tls,
                externalHost, other, audit);
    }

    public ApiServerOptions withAudit(AuditLog other) {
        return new ApiServerOptions(address, port, clock, random, retention, storage, limits, security, tls,
                externalHost, runtimeConfig, other);
    }

    /** The host by which clients on this machine reach an address: loopback for the address of all interfaces. */
    public static String reachableHost(String address) {
        return switch (address) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]", "0:0:0:0:0:0:0:0" -> "::1";
            default -> address;
        };
    }

    /**
     * The settings of TLS.
     *
     * @param clientAuthorities the authorities of client certificates; null if clients may not use
     *         them
     * @param renewal called once a minute with the current settings; returns the ones to use, which may be the same
     */
    public record Tls(ServingCertificate certificate, @Nullable List<X509Certificate> clientAuthorities,
            UnaryOperator<Tls> renewal) {
        /** Settings that are never renewed. */
        public Tls(ServingCertificate certificate, @Nullable List<X509Certificate> clientAuthorities) {
            this(certificate, clientAuthorities, UnaryOperator.identity());
        }
    }
}
