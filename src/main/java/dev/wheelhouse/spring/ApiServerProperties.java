package dev.wheelhouse.spring;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;

/**
 * The options {@code --wheelhouse.apiserver.*}: the embedded API server.
 *
 * @param address where it listens; loopback unless told otherwise
 * @param port 0 for any free one
 * @param externalHostname by which clients call it, in the kubeconfig and the self-signed certificate
 * @param kubeconfig the file in which it writes how to reach it
 * @param dataDir the directory in which it keeps everything; if unsaid, it keeps everything in memory
 * @param fsync whether each write waits for the disk of that directory, so that it survives a loss of power too
 * @param authorizationMode what those who are let in may do
 * @param tokenAuthFile bearer tokens and whose they are, as kube-apiserver's {@code --token-auth-file}
 * @param clientCaFile authorities whose certificates clients may show for themselves
 * @param tlsCertFile the certificate for TLS, and those that signed it
 * @param tlsPrivateKeyFile its private key
 * @param tlsSelfSigned whether to serve by TLS with a certificate of its own; it is also where an option says who may ask
 *        and no certificate is named
 * @param limits what clients may ask
 */
record ApiServerProperties(@DefaultValue("127.0.0.1") String address, @DefaultValue("7443") int port,
        @Nullable String externalHostname, @DefaultValue("wheelhouse.kubeconfig") String kubeconfig,
        @Nullable String dataDir, @DefaultValue("true") boolean fsync,
        @DefaultValue("always-allow") AuthorizationMode authorizationMode,
        @Nullable String tokenAuthFile, @Nullable String clientCaFile, @Nullable String tlsCertFile,
        @Nullable String tlsPrivateKeyFile, @DefaultValue("false") boolean tlsSelfSigned,
        @DefaultValue Limits limits) {
    private static final String PREFIX = "wheelhouse.apiserver.";

    /**
     * The options {@code --wheelhouse.apiserver.limits.*}.
     *
     * @param bodySize the largest body of a request
     * @param headerSize the largest line and headers of a request together
     * @param watches the most watches at a time
     * @param requests the most requests that are answered at a time, watches apart
     * @param connections the most connections at a time; more wait
     * @param ioTimeout after which a client is cut off that neither sends what it announced nor takes what it asked for
     * @param requestTimeout the time in which a request is answered, watches apart
     */
    record Limits(@DefaultValue("3MB") DataSize bodySize, @DefaultValue("64KB") DataSize headerSize,
            @DefaultValue("10000") int watches, @DefaultValue("1000") int requests,
            @DefaultValue("12000") int connections, @DefaultValue("30s") Duration ioTimeout,
            @DefaultValue("60s") Duration requestTimeout) {
        Limits {
            requirePositive("body-size", bodySize.toBytes(), Integer.MAX_VALUE);
            requirePositive("header-size", headerSize.toBytes(), Integer.MAX_VALUE);
            requirePositive("watches", watches, Integer.MAX_VALUE);
            requirePositive("requests", requests, Integer.MAX_VALUE);
            requirePositive("connections", connections, Integer.MAX_VALUE);
            requirePositive("io-timeout", ioTimeout.toMillis(), Duration.ofHours(1).toMillis());
            requirePositive("request-timeout", requestTimeout.toMillis(), Duration.ofHours(1).toMillis());
        }

        private static void requirePositive(String option, long value, long most) {
            if (value < 1 || value > most) {
                throw new BadOption(PREFIX + "limits." + option + " is " + value + ": it must be from 1 to " + most);
            }
        }
    }

    ApiServerProperties {
        require(dataDir == null || !dataDir.isBlank(), "data-dir is empty: it must be the name of a directory");
        require(port >= 0 && port <= 65535, "port is " + port + ": it must be a port from 0 to 65535");
        requireBoth("tls-cert-file", tlsCertFile, "tls-private-key-file", tlsPrivateKeyFile);
        requireBoth("tls-private-key-file", tlsPrivateKeyFile, "tls-cert-file", tlsCertFile);
        require(!tlsSelfSigned || tlsCertFile == null, "tls-self-signed is set beside " + PREFIX
                + "tls-cert-file: leave out one of the two");
        boolean tls = tlsSelfSigned || tlsCertFile != null
                || namesUsers(authorizationMode, tokenAuthFile, clientCaFile);
        require(tls || isLoopback(address), "address is " + address + ", which others can reach, so it takes TLS: add "
                + PREFIX + "tls-self-signed=true, or name a certificate by " + PREFIX + "tls-cert-file and " + PREFIX
                + "tls-private-key-file (requests then need a token, as the kubeconfig holds one), or use 127.0.0.1");
    }

    private static void requireBoth(String option, @Nullable String value, String other, @Nullable String otherValue) {
        require(value == null || otherValue != null, option + " is set without " + PREFIX + other
                + ": name both files, or use " + PREFIX + "tls-self-signed=true");
    }

    private static void require(boolean good, String problem) {
        if (!good) {
            throw new BadOption(PREFIX + problem);
        }
    }

    private static boolean isLoopback(String address) {
        return parsed(address).isLoopbackAddress();
    }

    private static InetAddress parsed(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new BadOption(
                    PREFIX + "address is " + address + ", which is no address of this machine: use 127.0.0.1");
        }
    }

    /** Whether it is served by TLS. Clients send credentials by TLS alone, so where requests need some, it is. */
    boolean isTls() {
        return tlsSelfSigned || tlsCertFile != null || namesUsers(authorizationMode, tokenAuthFile, clientCaFile);
    }

    /** Whether requests need no credentials: nothing says who may ask, and nobody from elsewhere can. */
    boolean isOpen() {
        return !namesUsers(authorizationMode, tokenAuthFile, clientCaFile) && isLoopback(address);
    }

    private static boolean namesUsers(AuthorizationMode mode, @Nullable String tokens, @Nullable String authorities) {
        return mode != AuthorizationMode.ALWAYS_ALLOW || tokens != null || authorities != null;
    }
}
