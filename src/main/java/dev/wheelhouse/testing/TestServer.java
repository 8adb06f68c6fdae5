package dev.wheelhouse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.runtime.Clock;

/**
 * An API server that listens on loopback, with clients for it and, on request, controllers and hollow nodes. Thread
 * safe.
 */
public final class TestServer implements AutoCloseable {
    /** A strong reference: a logger that is garbage collected loses its level. */
    private static final Logger TOMCAT = Logger.getLogger("org.apache");

    private final ApiServer server;
    private final ApiClient api;
    private final KubeClient client;
    private final @Nullable RunningControllers running;
    private @Nullable Path kubeconfig;

    private TestServer(ApiServer server, boolean controllers, int nodes) {
        Clock clock = Clock.system();
        this.server = server;
        this.api = server.isOpen()
                ? new ClientBuilder().setBasePath(server.url()).build()
                : new KubeConfigs(clock).fromFile(kubeconfig(), null).api();
        this.client = new HttpKubeClient(api, clock);
        this.running = controllers || nodes > 0
                ? new RunningControllers(server.client("wheelhouse"), clock, controllers, nodes)
                : null;
    }

    /** Starts a server in memory, on a free port, without controllers and nodes. */
    public static TestServer start() {
        return start(ApiServerOptions.defaults(), false, 0);
    }

    /**
     * Starts a server. Controllers and nodes may still be starting when it returns, so tests wait for their effects.
     *
     * @param controllers whether the built-in controllers run on the server
     * @param nodes the number of hollow nodes; if there are any, a scheduler runs too
     */
    public static TestServer start(ApiServerOptions options, boolean controllers, int nodes) {
        if (TOMCAT.getLevel() == null) {
            TOMCAT.setLevel(Level.WARNING);
        }
        ApiServer server = new ApiServer(options);
        try {
            return new TestServer(server.start(), controllers, nodes);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** The server's URL, such as {@code http://127.0.0.1:8001}; with TLS {@code https}. */
    public String url() {
        return server.url();
    }

    public ApiServer server() {
        return server;
    }

    /** This project's client, over HTTP. */
    public KubeClient client() {
        return client;
    }

    /** The official client, over HTTP. */
    public ApiClient apiClient() {
        return api;
    }

    /** Injects errors and delays into the server's answers. */
    public Faults faults() {
        return server.faults();
    }

    /**
     * The path of a kubeconfig for kubectl, helm and other clients. The file is deleted when the server is closed.
     * @throws UncheckedIOException if the file cannot be written
     */
    public synchronized Path kubeconfig() {
        Path file = kubeconfig;
        if (file == null) {
            try {
                file = Files.createTempFile("wheelhouse", ".kubeconfig");
                Files.writeString(file, server.kubeconfig());
            } catch (IOException e) {
                throw new UncheckedIOException("the kubeconfig needs a temporary file: check java.io.tmpdir", e);
            }
            kubeconfig = file;
        }
        return file;
    }

    /** Ends nodes, controllers, clients and the server. */
    @Override
    public synchronized void close() {
        if (running != null) {
            running.close();
        }
        client.close();
        api.getHttpClient().dispatcher().executorService().shutdown();
        api.getHttpClient().connectionPool().evictAll();
        server.close();
        Path file = kubeconfig;
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException("could not delete " + file, e);
            }
        }
    }
}
