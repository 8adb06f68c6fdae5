package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.threads.VirtualThreadExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.apiserver.rest.ApiRequest;
import dev.wheelhouse.apiserver.rest.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StorageException;

/**
 * A Kubernetes API server in this process. It answers {@link #client in-process calls} as soon as it is made, and HTTP after
 * {@link #start}. Thread safe.
 */
public final class EmbeddedApiServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedApiServer.class);

    /** How many bytes of a refused request's body are read and dropped before the connection is cut. */
    private static final int REFUSED_BODY_READ = 64 * 1024 * 1024;

    private final ApiServerOptions options;
    private final ObjectStore store;
    private final RestServer rest;
    private final Faults faults;
    private @Nullable Tomcat tomcat;
    private @Nullable Path directory;
    private volatile int port;

    /**
     * Opens the storage, and makes what every cluster has where it is not there yet.
     *
     * @throws StorageException if the storage cannot be used
     */
    public EmbeddedApiServer(ApiServerOptions options) {
        this.options = options;
        this.store = new ObjectStore(options.clock(), options.retention(), options.storage());
        this.faults = new Faults(store);
        try {
            this.rest = new RestServer(store, options.clock(), options.random());
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /**
     * Listens.
     *
     * @return this
     * @throws PortInUseException if the port is taken
     */
    public synchronized EmbeddedApiServer start() {
        if (tomcat != null) {
            throw new IllegalStateException("the API server is running at " + url());
        }
        Tomcat starting = new Tomcat();
        try {
            Path base = Files.createTempDirectory("wheelhouse-apiserver");
            directory = base;
            starting.setBaseDir(base.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("the API server needs a temporary directory: check java.io.tmpdir", e);
        }
        Connector connector = connector();
        starting.setConnector(connector);
        Context context = starting.addContext("", null);
        if (context instanceof StandardContext standard) {
            standard.setClearReferencesRmiTargets(false);
            standard.setClearReferencesThreadLocals(false);
        }
        if (starting.getHost() instanceof StandardHost host) {
            // Its pages tell of stack traces and of the server's make.
            host.setErrorReportValveClass(PlainErrors.class.getName());
        }
        Wrapper servlet = Tomcat.addServlet(context, "api",
                new HttpFront(this::handle, options.clock(), options.limits()));
        servlet.setLoadOnStartup(1);
        context.addServletMappingDecoded("/*", "api");
        tomcat = starting;
        try {
            starting.start();
        } catch (LifecycleException e) {
            closeHttp();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof BindException) {
                    throw new PortInUseException(options.address(), options.port(), e);
                }
            }
            throw new IllegalStateException(
                    "the API server could not start on " + options.address() + ":" + options.port(), e);
        }
        port = connector.getLocalPort();
        log.info("API server listens on {}", url());
        return this;
    }

    private Connector connector() {
        Http11NioProtocol protocol = new Http11NioProtocol();
        try {
            protocol.setAddress(InetAddress.getByName(options.address()));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                    "\"" + options.address() + "\" is no address to listen on: use 127.0.0.1", e);
        }
        protocol.setExecutor(new VirtualThreadExecutor("apiserver-"));
        protocol.setConnectionTimeout((int) options.limits().io().toMillis());
        protocol.setKeepAliveTimeout(120_000);
        protocol.setMaxKeepAliveRequests(-1);
        protocol.setMaxConnections(options.limits().connections());
        protocol.setMaxHttpRequestHeaderSize(options.limits().headers());
        // A client that is still sending a body that was refused would see a broken connection instead of the answer.
        protocol.setMaxSwallowSize(REFUSED_BODY_READ);
        protocol.setTcpNoDelay(true);
        Connector connector = new Connector(protocol);
        connector.setPort(options.port());
        connector.setThrowOnFailure(true);
        connector.setEncodedSolidusHandling("passthrough");
        connector.setXpoweredBy(false);
        return connector;
    }

    /** The address that it listens on. */
    public String address() {
        return options.address();
    }

    /** The port that it listens on; 0 before {@link #start}. */
    public int port() {
        return port;
    }

    /** {@code http://127.0.0.1:8001}. */
    public String url() {
        return "http://" + (options.address().contains(":") ? "[" + options.address() + "]" : options.address()) + ":"
                + port;
    }

    /** A client that calls the server without sockets. @param userAgent names the field manager of its writes */
    public InProcessClient client(String userAgent) {
        return new InProcessClient(this, userAgent);
    }

    /** Answers one request, unless a {@link #faults fault} does. */
    ApiResponse handle(ApiRequest request) {
        ApiResponse injected = faults.before(request);
        return injected == null ? rest.handle(request) : injected;
    }

    /** What goes wrong on purpose, for tests. */
    public Faults faults() {
        return faults;
    }

    /** A kubeconfig that tells kubectl, helm and other clients how to reach the server, once it is started. */
    public String kubeconfig() {
        return """
                apiVersion: v1
                kind: Config
                current-context: wheelhouse
                clusters:
                - name: wheelhouse
                  cluster:
                    server: %s
                users:
                - name: wheelhouse
                  user: {}
                contexts:
                - name: wheelhouse
                  context:
                    cluster: wheelhouse
                    user: wheelhouse
                    namespace: default
                """.formatted(url());
    }

    /** The REST logic itself, for transports and tests. */
    public RestServer rest() {
        return rest;
    }

    /** The objects, for tests and operators. */
    public ObjectStore store() {
        return store;
    }

    /** Ends every watch, every connection and every thread, and closes the storage. */
    @Override
    public synchronized void close() {
        store.close();
        closeHttp();
    }

    private void closeHttp() {
        Tomcat stopping = tomcat;
        tomcat = null;
        if (stopping != null) {
            try {
                stopping.stop();
                stopping.destroy();
            } catch (LifecycleException e) {
                log.warn("the API server did not stop in good order", e);
            }
        }
        Path base = directory;
        directory = null;
        if (base != null) {
            delete(base);
        }
    }

    private static void delete(Path base) {
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            log.debug("could not delete {}", base, e);
        }
    }
}
