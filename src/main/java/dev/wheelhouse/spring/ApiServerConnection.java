package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.CountedRequests;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigException;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;

/**
 * The API server of the service: the embedded one, or one that runs elsewhere. The embedded one is asked for JSON, in
 * which it stores objects.
 *
 * @param client this project's client of it
 * @param api the official client of it, for beans that are written against that
 * @param anonymous makes the official client of it without credentials; null if that cannot be made
 * @param contentType the encoding that this project's client prefers
 * @param namespace the namespace of the pod, or of the kubeconfig's context
 * @param inCluster whether this process runs in a pod of the API server's cluster
 * @param authority the certificate authorities of the API server, PEM; empty if they are unknown
 * @param embedded the API server itself; null if it does not run in this process
 * @param absent why there is no API server, so that every request fails and nothing runs; null if there is one
 */
record ApiServerConnection(KubeClient client, ApiClient api, @Nullable Supplier<ApiClient> anonymous,
        ContentType contentType, String namespace,
        boolean inCluster, String authority, @Nullable Embedded embedded,
        @Nullable String absent) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ApiServerConnection.class);

    /**
     * @param kubeconfig the file by which clients reach the server
     * @param open whether the server serves every client on this machine without credentials
     * @param dataDir the directory of the stored objects; null if they are in memory only
     * @param secrets the keys and the certificate authority of the server
     */
    record Embedded(ApiServer server, Path kubeconfig, boolean open, @Nullable Path dataDir,
            EmbeddedServers.Secrets secrets) {}

    /**
     * Connects to the API server that the options name, or starts the embedded one.
     *
     * @param service whether this is the service, in which the built-in controllers run by default. Outside of a pod,
     *     without a named kubeconfig, it starts the embedded API server
     * @param use whether the application has something to run on the API server, and is no test
     * @param registry counts the requests of this project's client, of the official one, and of the election
     */
    static ApiServerConnection open(WheelhouseProperties properties, ContentType type, boolean service, Use use,
            Clock clock, MeterRegistry registry) {
        KubeConfigs configs = new KubeConfigs(clock, registry);
        if (!service && properties.namesNoServer() && use == Use.TEST) {
            return absent(
                    "this is a Spring Boot test, which connects to no cluster by itself: set wheelhouse.kubeconfig,"
                            + " or wheelhouse.mode=embedded",
                    type, clock);
        }
        try {
            return open(properties, configs, type, service, clock, registry);
        } catch (KubeConfigException e) {
            if (!service && properties.namesNoServer() && use == Use.NOTHING) {
                return absent(String.valueOf(e.getMessage()), type, clock);
            }
            throw e;
        }
    }

    /** The use that an application has for an API server. */
    enum Use {
        CONTROLLERS,
        /** There are no controllers to run. Beans of the application may use the client. */
        NOTHING,
        /** The application is started by a test of it, which must not touch the cluster that a developer works with. */
        TEST
    }

    /** A connection to nowhere. Each request fails with the reason. */
    private static ApiServerConnection absent(String why, ContentType type, Clock clock) {
        ApiClient api = new ClientBuilder().setBasePath("https://no-api-server.invalid").build();
        api.setHttpClient(api.getHttpClient().newBuilder().addInterceptor(chain -> {
            throw new IOException(why);
        }).build());
        return new ApiServerConnection(new HttpKubeClient(api, type, clock), api, null, type, "default", false, "",
                null,
                why);
    }

    private static ApiServerConnection open(WheelhouseProperties properties, KubeConfigs configs, ContentType type,
            boolean service, Clock clock, MeterRegistry registry) {
        NodeJoin join = properties.join();
        if (join != null) {
            return connect(configs.fromFile(join.kubeconfig(configs, clock), null), false, properties, type, clock,
                    registry);
        }
        return switch (properties.effectiveMode(configs.isInCluster(), service
                ? WheelhouseProperties.Mode.EMBEDDED
                : WheelhouseProperties.Mode.KUBECONFIG)) {
            case EMBEDDED, AUTO ->
                embedded(properties.node().givesServices()
                        ? properties.apiserver().reachedFrom(Host.address())
                        : properties.apiserver(), properties.runsServiceAccounts(service),
                        ConfiguredNodes.areAny(properties), clock, registry);
            case KUBECONFIG ->
                connect(configs.resolve(path(properties.kubeconfig()), properties.context()), false, properties, type,
                        clock, registry);
            case NONE -> absent("wheelhouse.mode is none", type, clock);
            case IN_CLUSTER -> connect(configs.inCluster(), true, properties, type, clock, registry);
        };
    }

    /** Uses a client that the application made. */
    static ApiServerConnection of(ApiClient api, ContentType type, Clock clock, MeterRegistry registry) {
        CountedRequests.install(api, registry, clock);
        KubeConfigs configs = new KubeConfigs(clock);
        boolean inCluster = configs.isInCluster();
        return new ApiServerConnection(new HttpKubeClient(api, type, clock), api, null, type,
                inCluster ? configs.inCluster().namespace() : "default", inCluster, "", null, null);
    }

    private static ApiServerConnection embedded(ApiServerProperties options, boolean podAccounts,
            boolean nodes, Clock clock, MeterRegistry registry) {
        EmbeddedServers.Secrets secrets = EmbeddedServers.Secrets.of(options, clock);
        ApiServer server = new ApiServer(EmbeddedServers.options(options, secrets, podAccounts, nodes, clock));
        try {
            server.start();
            Path kubeconfig = KubeconfigFile.write(options.kubeconfig(), server.kubeconfig(), server.url(), clock);
            Supplier<ApiClient> open = () -> new ClientBuilder().setBasePath(server.url()).build();
            KubeConfigs.Connection found = server.isOpen() ? null : new KubeConfigs(clock).fromFile(kubeconfig, null);
            ApiClient api = found == null ? open.get() : found.api();
            CountedRequests.install(api, registry, clock);
            return new ApiServerConnection(server.client("wheelhouse", registry), api,
                    found == null ? open : found.anonymous(), ContentType.JSON,
                    "default", false, server.authority(),
                    new Embedded(server, kubeconfig, options.isOpen(), absolute(options.dataDir()), secrets), null);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static @Nullable Path absolute(@Nullable String directory) {
        return directory == null ? null : Path.of(directory).toAbsolutePath().normalize();
    }

    private static @Nullable Path path(@Nullable String file) {
        return file == null ? null : Path.of(file);
    }

    private static ApiServerConnection connect(KubeConfigs.Connection found, boolean inCluster,
            WheelhouseProperties properties, ContentType type, Clock clock, MeterRegistry registry) {
        log.info("working on {}, by {}", found.api().getBasePath(), found.source());
        CountedRequests.install(found.api(), registry, clock);
        HttpKubeClient client = new HttpKubeClient(found.api(), type, clock);
        return new ApiServerConnection(properties.informer().gzip() ? client.compressed() : client, found.api(),
                found.anonymous(), type, found.namespace(), inCluster, found.authority(), null, null);
    }

    /** Whether every process on this machine may use the API server without credentials. */
    boolean isOpenToLoopback() {
        return embedded != null && embedded.open;
    }

    /** Why the storage of the embedded API server takes no writes; null if it does, or if there is no such server. */
    @Nullable
    String storageProblem() {
        return embedded == null ? null : embedded.server.store().problem();
    }

    @Override
    public void close() {
        client.close();
        if (embedded != null) {
            embedded.server.close();
        }
    }
}
