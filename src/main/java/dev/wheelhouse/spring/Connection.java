package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.client.KubeClient;

/**
 * The API server that everything works on.
 *
 * @param client our view of it
 * @param api the official client's view of it, for beans that are written against that
 * @param namespace the pod's, or that of the kubeconfig's context
 * @param inCluster whether it is that of the cluster that this process runs in
 * @param embedded the API server itself, where it runs in this process
 */
record Connection(KubeClient client, ApiClient api, String namespace, boolean inCluster, @Nullable Embedded embedded)
        implements
            AutoCloseable {

    /**
     * @param kubeconfig the file that tells others how to reach it
     * @param open whether it does what anybody on this machine asks
     * @param storageProblem why its storage takes no writes; null while it does
     */
    record Embedded(AutoCloseable server, String url, Path kubeconfig, boolean open,
            Supplier<@Nullable String> storageProblem) {}

    /** Whether it does what anybody on this machine asks. */
    boolean isOpenToLoopback() {
        return embedded != null && embedded.open;
    }

    @Override
    public void close() throws Exception {
        client.close();
        if (embedded != null) {
            embedded.server.close();
        }
    }
}
