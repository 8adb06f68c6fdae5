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

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.EmbeddedApiServer;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.HttpKubeClient;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.KubeConfigs;

/** An API server that listens on loopback, with clients of it, and on wish with controllers and hollow nodes. Thread safe. */
public final class TestServer implements AutoCloseable {
    /** Kept, since a logger that nobody holds forgets its level. */
    private static final Logger TOMCAT = Logger.getLogger("org.apache");

    private final EmbeddedApiServer server;
    private final ApiClient api;
    private final KubeClient client;
    private final @Nullable RunningControllers running;
    private @Nullable Path kubeconfig;

    private TestServer(EmbeddedApiServer server, boolean controllers, int nodes) {
        this.server = server;
        this.api = server.isOpen()
                ? new ClientBuilder().setBasePath(server.url()).build()
                : new KubeConfigs().explicit(kubeconfig(), null).api();
        this.client = new HttpKubeClient(api);
        this.running = controllers || nodes > 0
                ? new RunningControllers(server.client("wheelhouse"), controllers, nodes)
                : null;
    }

    /** Starts a bare one, in memory, on any free port. */
    public static TestServer start() {
        return start(ApiServerOptions.defaults(), false, 0);
    }

    /**
     * Starts one. Controllers and nodes are being started when it returns: what they do is to be waited for.
     *
     * @param controllers whether the built-in controllers run on it
     * @param nodes how many hollow nodes run on it, with a scheduler if there are any
     */
    public static TestServer start(ApiServerOptions options, boolean controllers, int nodes) {
        if (TOMCAT.getLevel() == null) {
            TOMCAT.setLevel(Level.WARNING);
        }
        EmbeddedApiServer server = new EmbeddedApiServer(options);
        try {
            return new TestServer(server.start(), controllers, nodes);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** {@code http://127.0.0.1:PORT}. */
    public String url() {
        return server.url();
    }

    /** The server itself. */
    public EmbeddedApiServer server() {
        return server;
    }

    /** A client over HTTP. */
    public KubeClient client() {
        return client;
    }

    /** The official client of it. */
    public ApiClient apiClient() {
        return api;
    }

    /** What goes wrong on purpose. */
    public Faults faults() {
        return server.faults();
    }

    /** A file that tells kubectl, helm and others how to reach it; deleted when the server is closed. */
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
