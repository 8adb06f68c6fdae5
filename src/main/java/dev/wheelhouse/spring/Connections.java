package dev.wheelhouse.spring;

import java.nio.file.Path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.client.HttpKubeClient;
import dev.wheelhouse.client.KubeConfigs;
import dev.wheelhouse.runtime.Clock;

/** Finds, or starts, the API server that the options ask for. */
final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    private Connections() {}

    static Connection open(WheelhouseProperties properties, Clock clock) {
        KubeConfigs configs = new KubeConfigs();
        return switch (properties.effectiveMode(configs.isInCluster())) {
            case EMBEDDED, AUTO -> throw new IllegalStateException();
            case KUBECONFIG -> connect(configs.resolve(path(properties.kubeconfig()), properties.context()));
            case IN_CLUSTER -> connect(configs.inCluster());
        };
    }

    private static @org.jspecify.annotations.Nullable Path path(@org.jspecify.annotations.Nullable String file) {
        return file == null ? null : Path.of(file);
    }

    private static Connection connect(KubeConfigs.Connection found) {
        log.info("working on {}, by {}", found.api().getBasePath(), found.source());
        return new Connection(new HttpKubeClient(found.api()), found.api(), null);
    }
}
