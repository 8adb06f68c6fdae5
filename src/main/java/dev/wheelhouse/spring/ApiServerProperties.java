package dev.wheelhouse.spring;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;

/**
 * The options {@code --wheelhouse.apiserver.*} of the embedded API server.
 *
 * @param address the address to listen on; loopback by default
 * @param port the port to listen on; 0 for any free port
 * @param externalHostname the host name in the kubeconfig and in the self-signed certificate
 * @param kubeconfig the kubeconfig file that the server writes
 * @param dataDir the directory of the stored objects; without it they are kept in memory only
 * @param fsync whether each write waits for the disk, so that it also survives a loss of power
 * @param authorizationMode how requests of authenticated users are authorized
 * @param tokenAuthFile the file of bearer tokens and their users, as kube-apiserver's {@code --token-auth-file}
 * @param clientCaFile the file of authorities that sign client certificates
 * @param tlsCertFile the file of the serving certificate and its chain
 * @param tlsPrivateKeyFile the file of the private key of the serving certificate
 * @param tlsSelfSigned whether to serve TLS with a certificate of the server's own. That is also done if users are
 *     configured and no certificate is
 * @param runtimeConfig which of Kubernetes' own APIs are served, as kube-apiserver's {@code --runtime-config}: alpha
 *     and beta versions are off unless it says otherwise, such as {@code api/beta=true,batch/v1/cronjobs=false}
 * @param admissionControlConfigFile the file of an AdmissionConfiguration for the plugin PodSecurity
 * @param auditPolicyFile the file of the policy that says which requests the audit log has
 * @param auditLogPath the file of the audit log
 * @param auditLogMaxage the number of days for which full files of the audit log are kept; 0 for ever
 * @param auditLogMaxbackup the number of full files of the audit log that are kept; 0 for all
 * @param auditLogMaxsize the most megabytes of a file of the audit log
 * @param auditWebhookConfigFile the kubeconfig of a service that gets the events of the audit log
 * @param auditWebhookBatchMaxWait how long an event waits for others before it is sent to that service
 * @param authenticationConfig the file of an AuthenticationConfiguration, which names OpenID providers
 * @param authenticationTokenWebhookConfigFile the kubeconfig of a service that is asked about tokens
 * @param authenticationTokenWebhookCacheTtl how long an answer of that service is kept
 * @param authorizationConfig the file of an AuthorizationConfiguration, which names the authorizers in their order
 * @param limits the limits for clients
 */
record ApiServerProperties(@DefaultValue("127.0.0.1") String address, @DefaultValue("7443") int port,
        @Nullable String externalHostname, @DefaultValue(ApiServerProperties.KUBECONFIG) String kubeconfig,
        @Nullable String dataDir, @DefaultValue("true") boolean fsync,
        @DefaultValue("always-allow") AuthorizationMode authorizationMode,
        @Nullable String tokenAuthFile, @Nullable String clientCaFile, @Nullable String tlsCertFile,
        @Nullable String tlsPrivateKeyFile, @DefaultValue("false") boolean tlsSelfSigned,
        @DefaultValue("") String runtimeConfig, @Nullable String admissionControlConfigFile,
        @Nullable String auditPolicyFile, @Nullable String auditLogPath, @DefaultValue("366") int auditLogMaxage,
        @DefaultValue("100") int auditLogMaxbackup, @DefaultValue("100") int auditLogMaxsize,
        @Nullable String auditWebhookConfigFile, @DefaultValue("30s") Duration auditWebhookBatchMaxWait,
        @Nullable String authenticationConfig, @Nullable String authenticationTokenWebhookConfigFile,
        @DefaultValue("2m") Duration authenticationTokenWebhookCacheTtl,
        @Nullable String authorizationConfig,
        @DefaultValue Limits limits) {
    /** The kubeconfig in the working directory. */
    static final String KUBECONFIG = "wheelhouse.kubeconfig";
    private static final String PREFIX = "wheelhouse.apiserver.";

    /**
     * The options {@code --wheelhouse.apiserver.limits.*}.
     *
     * @param bodySize the largest body of a request
     * @param headerSize the largest request line and headers together
     * @param watches the most watches at a time
     * @param requests the most requests that are answered at a time, without watches
     * @param connections the most connections at a time; further ones wait
     * @param ioTimeout the longest time to wait for a client to send the rest of a request or to take an answer
     * @param requestTimeout the longest time to answer a request that is not a watch
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
        require((auditPolicyFile == null) == (auditLogPath == null && auditWebhookConfigFile == null),
                "audit-policy-file needs " + PREFIX
                        + "audit-log-path or -webhook-config-file, and these need a policy");
        require(authorizationConfig == null || authorizationMode == AuthorizationMode.ALWAYS_ALLOW,
                "authorization-config is set beside " + PREFIX + "authorization-mode: name the modes in the file");
        boolean tls = tlsSelfSigned || tlsCertFile != null
                || namesUsers(authorizationMode, tokenAuthFile, clientCaFile, authenticationConfig,
                        authenticationTokenWebhookConfigFile, authorizationConfig);
        require(tls || isLoopback(address), "address is " + address + ", which others can reach, so it takes TLS: add "
                + PREFIX + "tls-self-signed=true, or name a certificate by " + PREFIX + "tls-cert-file and " + PREFIX
                + "tls-private-key-file (requests then need a token, as the kubeconfig holds one), or use 127.0.0.1");
    }

    /** @throws BadOption if a switch names no API */
    RuntimeConfig apis() {
        return BadOption.checked(PREFIX + "runtime-config: ", () -> RuntimeConfig.parse(runtimeConfig));
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

    /**
     * These options for a server that pods reach at an address of the machine, unless they name another address. Pods
     * use TLS only, and have tokens.
     */
    ApiServerProperties reachedFrom(String machine) {
        return !isLoopback(address) || isLoopback(machine)
                ? this
                : new ApiServerProperties(machine, port, externalHostname, kubeconfig, dataDir, fsync,
                        authorizationMode, tokenAuthFile, clientCaFile, tlsCertFile, tlsPrivateKeyFile,
                        tlsCertFile == null, runtimeConfig, admissionControlConfigFile, auditPolicyFile, auditLogPath,
                        auditLogMaxage, auditLogMaxbackup, auditLogMaxsize, auditWebhookConfigFile,
                        auditWebhookBatchMaxWait, authenticationConfig, authenticationTokenWebhookConfigFile,
                        authenticationTokenWebhookCacheTtl, authorizationConfig,
                        limits);
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

    /** Whether the server uses TLS. It does if requests need credentials, because clients send these by TLS only. */
    boolean isTls() {
        return tlsSelfSigned || tlsCertFile != null || namesUsers();
    }

    /** Whether requests need no credentials: no users are configured, and only this machine can reach the server. */
    boolean isOpen() {
        return !namesUsers() && isLoopback(address);
    }

    private boolean namesUsers() {
        return namesUsers(authorizationMode, tokenAuthFile, clientCaFile, authenticationConfig,
                authenticationTokenWebhookConfigFile, authorizationConfig);
    }

    private static boolean namesUsers(AuthorizationMode mode, @Nullable String... files) {
        return mode != AuthorizationMode.ALWAYS_ALLOW || Stream.of(files).anyMatch(Objects::nonNull);
    }
}
