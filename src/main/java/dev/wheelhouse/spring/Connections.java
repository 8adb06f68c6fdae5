package dev.wheelhouse.spring;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.EmbeddedApiServer;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.client.HttpKubeClient;
import dev.wheelhouse.client.KubeConfigs;
import dev.wheelhouse.runtime.Clock;

/** Finds, or starts, the API server that the options ask for. */
final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    /** From any of the last so many writes, a watch may resume after a restart. */
    private static final int KEPT_WRITES = 20_000;

    private Connections() {}

    static Connection open(WheelhouseProperties properties, Clock clock) {
        KubeConfigs configs = new KubeConfigs();
        return switch (properties.effectiveMode(configs.isInCluster())) {
            case EMBEDDED, AUTO -> embedded(properties.apiserver(), clock);
            case KUBECONFIG -> connect(configs.resolve(path(properties.kubeconfig()), properties.context()));
            case IN_CLUSTER -> connect(configs.inCluster());
        };
    }

    private static Connection embedded(WheelhouseProperties.ApiServer options, Clock clock) {
        EmbeddedApiServer server = new EmbeddedApiServer(
                ApiServerOptions.defaults().withAddress(options.address()).withPort(options.port()).withClock(clock)
                        .withStorage(storage(options)));
        try {
            server.start();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        try {
            ApiClient api = new ClientBuilder().setBasePath(server.url()).build();
            Path kubeconfig = Kubeconfig.write(options.kubeconfig(), server.kubeconfig());
            return new Connection(new HttpKubeClient(api), api,
                    new Connection.Embedded(server, server.url(), kubeconfig));
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static Storage storage(WheelhouseProperties.ApiServer options) {
        String directory = options.dataDir();
        return directory == null
                ? Storage.inMemory()
                : Storage.inDirectory(Path.of(directory), KEPT_WRITES, options.fsync());
    }

    private static @Nullable Path path(@Nullable String file) {
        return file == null ? null : Path.of(file);
    }

    private static Connection connect(KubeConfigs.Connection found) {
        log.info("working on {}, by {}", found.api().getBasePath(), found.source());
        return new Connection(new HttpKubeClient(found.api()), found.api(), null);
    }
}
