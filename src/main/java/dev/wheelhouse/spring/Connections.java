package dev.wheelhouse.spring;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.runtime.Clock;

/** Finds, or starts, the API server that the options ask for. */
final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    private Connections() {}

    static Connection open(WheelhouseProperties properties, Clock clock) {
        KubeConfigs configs = new KubeConfigs(clock);
        return switch (properties.effectiveMode(configs.isInCluster())) {
            case EMBEDDED, AUTO -> embedded(properties.apiserver(), clock);
            case KUBECONFIG ->
                connect(configs.resolve(path(properties.kubeconfig()), properties.context()), false, clock);
            case IN_CLUSTER -> connect(configs.inCluster(), true, clock);
        };
    }

    private static Connection embedded(ApiServerProperties options, Clock clock) {
        ApiServer server = new ApiServer(EmbeddedServers.options(options, clock));
        try {
            server.start();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        try {
            Path kubeconfig = KubeconfigFile.write(options.kubeconfig(), server.kubeconfig());
            ApiClient api = server.isOpen()
                    ? new ClientBuilder().setBasePath(server.url()).build()
                    : new KubeConfigs(clock).explicit(kubeconfig, null).api();
            return new Connection(new HttpKubeClient(api, clock), api, "default", false,
                    new Connection.Embedded(server, server.url(), kubeconfig, options.isOpen(),
                            server.store()::problem));
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static @Nullable Path path(@Nullable String file) {
        return file == null ? null : Path.of(file);
    }

    private static Connection connect(KubeConfigs.Connection found, boolean inCluster, Clock clock) {
        log.info("working on {}, by {}", found.api().getBasePath(), found.source());
        return new Connection(new HttpKubeClient(found.api(), clock), found.api(), found.namespace(), inCluster, null);
    }
}
