package dev.wheelhouse.client.http;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.Authentication;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;

/**
 * Finds the API server to connect to, and the credentials for it. The sources are, in this order: a kubeconfig file
 * that the caller names, the files of {@code KUBECONFIG}, merged as kubectl merges them, {@code ~/.kube/config}, and
 * the pod's service account (upstream: client-go {@code tools/clientcmd/loader.go}, {@code rest/config.go}). Every
 * method that returns a connection throws a {@link KubeConfigException} if it cannot. Thread safe.
 */
public final class KubeConfigs {
    /** The file's name in messages. */
    private static final String AUTHORITY = "the service account's certificate authority";
    private static final Path SERVICE_ACCOUNT = Path.of(System.getProperty("wheelhouse.service-account",
            "/var/run/secrets/kubernetes.io/serviceaccount"));

    private final Map<String, String> environment;
    private final Path home;
    private final Path serviceAccount;
    private final Clock clock;
    private final HttpMeters meters;

    /**
     * Uses this process' environment.
     *
     * @param clock the clock by which tokens are fetched again
     */
    public KubeConfigs(Clock clock) {
        this(clock, Meters.NONE);
    }

    /** @param registry counts the runs of credential plugins and the reads of certificate authorities */
    public KubeConfigs(Clock clock, MeterRegistry registry) {
        this(System.getenv(), Path.of(System.getProperty("user.home", "/")), SERVICE_ACCOUNT, clock, registry);
    }

    /** @param serviceAccount the directory where a pod's service account is mounted */
    KubeConfigs(Map<String, String> environment, Path home, Path serviceAccount, Clock clock,
            MeterRegistry registry) {
        this.environment = environment;
        this.home = home;
        this.serviceAccount = serviceAccount;
        this.clock = clock;
        this.meters = new HttpMeters(registry, clock);
    }

    /**
     * A server, and the credentials for it.
     *
     * @param api the official client, with TLS set up and with credentials that refresh themselves
     * @param source the file and the context, for messages: {@code "/home/me/.kube/config, context dev"}
     * @param namespace the context's or the pod's namespace; {@code default} if none is set
     * @param authority the certificate authorities of the server, PEM; empty if the source names none
     * @param anonymous makes an official client of the same server without credentials; null if nobody can
     */
    public record Connection(ApiClient api, String source, String namespace, String authority,
            @Nullable Supplier<ApiClient> anonymous) {}

    /**
     * The connection of the first source that exists.
     *
     * @param file a kubeconfig file, which is then the only source; null for none
     * @param context a context of the kubeconfig, or null for the current one
     */
    public Connection resolve(@Nullable Path file, @Nullable String context) {
        if (file != null) {
            return fromFile(file, context);
        }
        String variable = environment.get("KUBECONFIG");
        if (variable != null && !variable.isBlank()) {
            return fromEnvironment(variable, context);
        }
        Path standard = home.resolve(".kube").resolve("config");
        if (Files.exists(standard)) {
            return fromFile(standard, context);
        }
        if (isInCluster()) {
            return inCluster();
        }
        throw new KubeConfigException("no API server to connect to: KUBECONFIG is not set, " + standard
                + " does not exist, and this is no pod (KUBERNETES_SERVICE_HOST is not set); name a kubeconfig file");
    }

    /**
     * The connection that one kubeconfig file describes.
     *
     * @param context a context of the file, or null for the current one
     */
    public Connection fromFile(Path file, @Nullable String context) {
        return MergedKubeConfig.of(List.of(MergedKubeConfig.load(file))).connect(context, environment, clock, meters);
    }

    /**
     * The connection that the current context of somebody else's kubeconfig describes, such as one from a Secret. It
     * must have everything in itself: one that names files or programs of this machine is refused.
     *
     * @param source for messages
     */
    public Connection fromOther(byte[] kubeconfig, String source) {
        MergedKubeConfig config = MergedKubeConfig
                .of(List.of(MergedKubeConfig.parse(Path.of(source), kubeconfig)));
        config.requireSelfContained();
        return config.connect(null, environment, clock, meters);
    }

    /** Merges the files that the variable names. Files that do not exist are left out, but one at least must exist. */
    private Connection fromEnvironment(String variable, @Nullable String context) {
        List<MergedKubeConfig.Loaded> files = Stream.of(variable.split(File.pathSeparator, -1))
                .filter(name -> !name.isBlank()).map(Path::of).filter(Files::exists).map(MergedKubeConfig::load)
                .toList();
        if (files.isEmpty()) {
            throw new KubeConfigException("KUBECONFIG names no file that exists (" + variable
                    + "): correct it, or unset it to use " + home.resolve(".kube").resolve("config"));
        }
        return MergedKubeConfig.of(files).connect(context, environment, clock, meters);
    }

    /** Whether this process runs in a pod with a service account. */
    public boolean isInCluster() {
        String host = environment.get("KUBERNETES_SERVICE_HOST");
        return host != null && !host.isBlank() && Files.exists(serviceAccount.resolve("token"));
    }

    /** The connection of the pod's service account. Reads the token again every minute, as it rotates. */
    public Connection inCluster() {
        String host = variable("KUBERNETES_SERVICE_HOST");
        String port = variable("KUBERNETES_SERVICE_PORT");
        String address = "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        Path token = serviceAccount.resolve("token");
        Path authority = serviceAccount.resolve("ca.crt");
        String source = "the service account in " + serviceAccount;
        ApiClient api = inCluster(address, TokenRefresher.ofFile(token, "", clock), authority, source);
        Path namespace = serviceAccount.resolve("namespace");
        return new Connection(api, source, Files.exists(namespace)
                ? new String(bytes(namespace, "the pod's namespace"), StandardCharsets.UTF_8).strip()
                : "default", text(authority, AUTHORITY), () -> inCluster(address, null, authority, source));
    }

    private ApiClient inCluster(String address, @Nullable Authentication credentials, Path authority, String source) {
        ApiClient api = build(new ClientBuilder().setBasePath(address)
                .setCertificateAuthority(bytes(authority, AUTHORITY)).setAuthentication(credentials), source);
        Proxies.use(api, "", source, environment);
        AuthorityFile authorities = new AuthorityFile(authority, AUTHORITY, meters);
        RotatingTls.install((look, refused) -> new RotatingTls.TlsData(authorities.pem(look), "", ""),
                new Refusals(source + ": the address", authority.toString(), source,
                        credentials == null ? "" : serviceAccount.resolve("token").toString()),
                api, source, clock);
        return api;
    }

    private String variable(String name) {
        String value = environment.get(name);
        if (value == null || value.isBlank()) {
            throw new KubeConfigException("not in a pod: the environment variable " + name
                    + " is not set; name a kubeconfig file instead");
        }
        return value;
    }

    static String text(Path file, String what) {
        return new String(bytes(file, what), StandardCharsets.UTF_8);
    }

    static byte[] bytes(Path file, String what) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new KubeConfigException("cannot read " + what + ", " + file + ": " + reason(e)
                    + "; check that it exists and may be read", e);
        }
    }

    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no such file";
            case AccessDeniedException denied -> "permission denied";
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    }

    static ApiClient build(ClientBuilder builder, String source) {
        try {
            return builder.build();
        } catch (RuntimeException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            if (e instanceof KubeConfigException known) {
                throw known;
            }
            throw new KubeConfigException(
                    source + ": the TLS settings or credentials do not work: " + root.getMessage()
                            + "; check certificate-authority, client-certificate and client-key, which have to be PEM",
                    e);
        }
    }
}
