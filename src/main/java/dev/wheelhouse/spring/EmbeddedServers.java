package dev.wheelhouse.spring;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

import dev.wheelhouse.apiserver.ApiServerLimits;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.access.AuthenticationConfig;
import dev.wheelhouse.apiserver.access.AuthorizationConfig;
import dev.wheelhouse.apiserver.access.TokenWebhook;
import dev.wheelhouse.apiserver.audit.AuditFile;
import dev.wheelhouse.apiserver.audit.AuditLog;
import dev.wheelhouse.apiserver.audit.AuditWebhook;
import dev.wheelhouse.apiserver.auth.OtherParties;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.PodSecurityConfig;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.auth.TokenAuthenticator;
import dev.wheelhouse.apiserver.auth.TokenFile;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.runtime.Clock;

/** Turns the options of the embedded API server into its storage, users, certificates and limits. */
final class EmbeddedServers {
    /** The number of writes in the data directory from which a watch may resume after a restart. */
    private static final int KEPT_WRITES = 20_000;

    private EmbeddedServers() {}

    /**
     * The secrets of a server.
     *
     * @param authority the server's own certificate authority, which is made or read when it is first asked for
     */
    record Secrets(ServerKeys keys, Supplier<OwnAuthority> authority) {
        static Secrets of(ApiServerProperties properties, Clock clock) {
            String directory = properties.dataDir();
            ServerKeys keys = directory == null
                    ? ServerKeys.inMemory()
                    : ServerKeys.inDirectory(Path.of(directory, "pki"));
            return new Secrets(keys, SingletonSupplier.of(() -> OwnAuthority.of(keys, clock.now())));
        }
    }

    /**
     * @param podAccounts whether pods get service accounts
     * @param usage whether nodes of this process report the usage of their pods
     * @throws BadOption if two options contradict each other
     */
    static ApiServerOptions options(ApiServerProperties properties, Secrets secrets, boolean podAccounts,
            boolean usage, Clock clock) {
        RuntimeConfig apis = properties.apis();
        String directory = properties.dataDir();
        ApiServerOptions options = ApiServerOptions.defaults().withAddress(properties.address())
                .withPort(properties.port()).withClock(clock).withLimits(limits(properties.limits()))
                .withStorage(directory == null
                        ? Storage.inMemory()
                        : Storage.inDirectory(Path.of(directory), KEPT_WRITES, properties.fsync()))
                .withRuntimeConfig(usage ? apis.withDefault(RuntimeConfig.RESOURCE_METRICS) : apis)
                .withExternalHost(Objects.requireNonNullElse(properties.externalHostname(), ""))
                .withSecurity(security(properties, secrets.keys, clock).withPodAccounts(podAccounts));
        String policy = properties.auditPolicyFile();
        if (policy != null) {
            options = options.withAudit(audit(Path.of(policy), properties, clock));
        }
        if (!properties.isTls()) {
            return options;
        }
        return options.withTls(tls(properties, secrets.authority, clock));
    }

    private static AuditLog audit(Path policy, ApiServerProperties properties, Clock clock) {
        String file = properties.auditLogPath();
        String webhook = properties.auditWebhookConfigFile();
        return new AuditLog(policy,
                file == null
                        ? null
                        : new AuditFile(file, properties.auditLogMaxsize() * 1024L * 1024,
                                properties.auditLogMaxbackup(), properties.auditLogMaxage()),
                webhook == null
                        ? null
                        : new AuditWebhook(RemoteService.of(Path.of(webhook), clock),
                                properties.auditWebhookBatchMaxWait(), clock),
                clock);
    }

    private static ApiServerOptions.Tls tls(ApiServerProperties properties, Supplier<OwnAuthority> own, Clock clock) {
        UnaryOperator<@Nullable ServingCertificate> certificates = certificates(properties, own, clock);
        return new ApiServerOptions.Tls(Objects.requireNonNull(certificates.apply(null)),
                clientAuthorities(properties, own), now -> new ApiServerOptions.Tls(
                        Objects.requireNonNull(certificates.apply(now.certificate())),
                        clientAuthorities(properties, own), now.renewal()));
    }

    /**
     * The client authorities, from their file. Without a file, the own authority is the only one, because it signs the
     * certificates that clients request.
     */
    private static List<X509Certificate> clientAuthorities(ApiServerProperties properties,
            Supplier<OwnAuthority> own) {
        String file = properties.clientCaFile();
        return file == null ? List.of(own.get().certificate()) : ServingCertificate.certificates(Path.of(file));
    }

    private static ApiServerLimits limits(ApiServerProperties.Limits limits) {
        return new ApiServerLimits((int) limits.bodySize().toBytes(), (int) limits.headerSize().toBytes(),
                limits.watches(), limits.requests(), limits.connections(), limits.ioTimeout(),
                limits.requestTimeout());
    }

    private static Security security(ApiServerProperties properties, ServerKeys keys, Clock clock) {
        String file = properties.tokenAuthFile();
        Map<String, User> tokens = file == null ? Map.of() : TokenFile.read(Path.of(file));
        String admission = properties.admissionControlConfigFile();
        Security security = properties.isOpen()
                ? Security.open(keys)
                : Security.of(properties.authorizationMode(), tokens, keys);
        String users = properties.authenticationConfig();
        String webhook = properties.authenticationTokenWebhookConfigFile();
        String authorizers = properties.authorizationConfig();
        OtherParties others = users == null
                ? OtherParties.NONE
                : AuthenticationConfig.read(Path.of(users), clock);
        List<TokenAuthenticator> parties = new ArrayList<>(others.tokens());
        if (webhook != null) {
            parties.add(new TokenWebhook(RemoteService.of(Path.of(webhook), clock),
                    properties.authenticationTokenWebhookCacheTtl(), clock));
        }
        security = security.withOthers(new OtherParties(parties, others.anonymous(),
                authorizers == null ? null : AuthorizationConfig.read(Path.of(authorizers), clock)));
        return admission == null ? security : security.withPodSecurity(PodSecurityConfig.read(Path.of(admission)));
    }

    /**
     * Makes a function that reads or makes the serving certificate. Its argument is the current certificate, null at
     * the first call; it returns that or a new one.
     */
    private static UnaryOperator<@Nullable ServingCertificate> certificates(ApiServerProperties properties,
            Supplier<OwnAuthority> own, Clock clock) {
        @Nullable
        String file = properties.tlsCertFile();
        @Nullable
        String key = properties.tlsPrivateKeyFile();
        if (file != null && key != null) {
            return now -> {
                ServingCertificate read = ServingCertificate.ofFiles(Path.of(file), Path.of(key));
                return now == null ? requireValid(read, properties) : read;
            };
        }
        OwnAuthority authority = own.get();
        return now -> now == null
                ? authority.serving(hosts(properties), clock.now())
                : authority.renewed(now, () -> hosts(properties), clock.now());
    }

    private static ServingCertificate requireValid(ServingCertificate given, ApiServerProperties properties) {
        String host = calledBy(properties);
        if (!given.isValidFor(host)) {
            throw new BadOption("the certificate of wheelhouse.apiserver.tls-cert-file is not valid for " + host
                    + ", the host that clients call: name a host for which it is valid with "
                    + "--wheelhouse.apiserver.external-hostname");
        }
        return given;
    }

    private static String calledBy(ApiServerProperties properties) {
        String external = properties.externalHostname();
        return external == null ? ApiServerOptions.reachableHost(properties.address()) : external;
    }

    /** The host names and addresses by which clients may call the server. */
    private static List<String> hosts(ApiServerProperties properties) {
        List<String> hosts = new ArrayList<>();
        if (properties.externalHostname() != null) {
            hosts.add(properties.externalHostname());
        }
        try {
            InetAddress address = InetAddress.getByName(properties.address());
            if (!address.isAnyLocalAddress()) {
                hosts.add(properties.address());
                return hosts;
            }
            hosts.add(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            // A machine without a name still has addresses.
        }
        try {
            NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .map(each -> each.getHostAddress().replaceFirst("%.*", "")).forEach(hosts::add);
        } catch (SocketException e) {
            // The loopback address remains.
        }
        return hosts;
    }
}
