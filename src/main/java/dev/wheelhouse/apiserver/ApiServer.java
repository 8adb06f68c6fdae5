package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.session.StandardManager;
import org.apache.catalina.startup.ExpandWar;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import dev.wheelhouse.apiserver.audit.AuditLog;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.Authorization;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.rest.ServerInfo;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StorageException;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.decode.DecoderMemory;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.HttpMeters;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.client.http.Transport;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * A Kubernetes API server in this process. It answers {@link #client in-process calls} from its creation on, and HTTP
 * after {@link #start}. Thread safe.
 */
public final class ApiServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ApiServer.class);
    private static final AtomicInteger SERVERS = new AtomicInteger();

    private final ApiServerOptions options;
    private final ObjectStore store;
    private final RestServer rest;
    private final Faults faults;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final StorageMeters storage;
    private final Traffic traffic;
    private final RequestPipeline requests;
    /** The memory of the decoders of all clients in this process. */
    private final DecoderMemory memory = DecoderMemory.ofOneProcess();
    private final EventExpiry expiry;
    private final KubeletClient kubelets;
    /** By their user agents. */
    private final Map<String, Transport> loopbacks = new ConcurrentHashMap<>();
    private @Nullable Tomcat tomcat;
    private @Nullable Path directory;
    private @Nullable LoopRunner loops;
    private volatile @Nullable TlsRenewal renewal;
    private volatile int port;
    private boolean closed;

    /**
     * Opens the storage and creates the objects that every cluster has, unless they exist.
     *
     * @throws StorageException if the storage cannot be used
     * @throws IllegalArgumentException if the address is beyond loopback, and TLS or credentials are missing
     */
    public ApiServer(ApiServerOptions options) {
        requireProtection(options);
        this.options = options;
        this.store = new ObjectStore(options.clock(), options.retention(), options.storage());
        this.faults = new Faults(store, options.clock());
        this.expiry = new EventExpiry(store, options.clock());
        this.kubelets = new KubeletClient(this::clientAuthorities, options.clock());
        try {
            this.rest = new RestServer(store, options.clock(), options.random(), options.security(), new ServerInfo(
                    () -> port == 0 ? "" : url(), this::metrics, options.runtimeConfig(), this::ask));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        this.storage = new StorageMeters(store, rest.registry(), meters);
        this.traffic = Traffic.of(options, Runtime.getRuntime().maxMemory(),
                Runtime.getRuntime().availableProcessors(), rest.registry(), meters);
        this.requests = new RequestPipeline(rest, faults, traffic, options);
    }

    private static void requireProtection(ApiServerOptions options) {
        InetAddress address = resolve(options.address());
        if (!address.isLoopbackAddress() && (options.tls() == null || options.security().open())) {
            throw new IllegalArgumentException("the API server may not listen on " + options.address()
                    + ", beyond loopback, " + (options.tls() == null ? "without TLS" : "without credentials")
                    + ": give it a certificate and tokens, or use 127.0.0.1");
        }
    }

    static InetAddress resolve(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("\"" + address + "\" is not an address to listen on: use 127.0.0.1", e);
        }
    }

    private ApiResponse.Content ask(ApiResponse.Live.Forward to, Duration within) throws IOException {
        return Backend.whole(to, within, traffic.timer(), () -> kubelets.identity(rest));
    }

    private List<X509Certificate> clientAuthorities() {
        ApiServerOptions.Tls tls = tls();
        List<X509Certificate> authorities = tls == null ? null : tls.clientAuthorities();
        return authorities == null ? List.of() : authorities;
    }

    private String metrics() {
        storage.update();
        return meters.scrape();
    }

    /**
     * Starts to listen for HTTP.
     *
     * @return this
     * @throws PortInUseException if the port is taken
     * @throws IllegalStateException if it listens already, or was closed
     */
    public synchronized ApiServer start() {
        if (closed) {
            throw new IllegalStateException("the API server was closed and cannot listen again: make another one");
        }
        if (tomcat != null) {
            throw new IllegalStateException("the API server is running at " + url());
        }
        Tomcat starting = new Tomcat();
        starting.setBaseDir(makeDirectory().toString());
        Connector connector = Connectors.of(options, traffic);
        starting.setConnector(connector);
        setUp(starting);
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
        LoopRunner runner = new LoopRunner("apiserver", options.clock());
        loops = runner;
        runner.start("events", expiry);
        AuditLog audit = options.audit();
        if (audit != null) {
            audit.start(runner, meters);
        }
        keepTlsCurrent(connector, runner);
        InetAddress bound = resolve(options.address());
        rest.announce(bound.isAnyLocalAddress() ? resolve(Host.address()) : bound, port);
        // Published before anybody asks, so that no later write changes the version of a server at rest.
        kubelets.identity(rest);
        runner.start("apiservices", rest.availability());
        log.info("API server listens on {}", url());
        return this;
    }

    private void keepTlsCurrent(Connector connector, LoopRunner runner) {
        ApiServerOptions.Tls tls = options.tls();
        if (tls != null && connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> protocol) {
            TlsRenewal loop = new TlsRenewal(protocol, tls);
            runner.start("tls", loop);
            renewal = loop;
        }
    }

    /** The certificate and authorities of new connections; null for plain HTTP. */
    private ApiServerOptions.@Nullable Tls tls() {
        TlsRenewal running = renewal;
        return running == null ? options.tls() : running.current();
    }

    /** Checks at once whether the certificate or the authorities have changed. For tests. */
    void renewTls() {
        TlsRenewal running = renewal;
        if (running != null) {
            running.step();
        }
    }

    /** Deletes at once the Events whose time is over. For tests. */
    void expireEvents() {
        expiry.step();
    }

    private Path makeDirectory() {
        try {
            Path made = Files.createTempDirectory("wheelhouse-apiserver");
            directory = made;
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException("the API server needs a temporary directory: check java.io.tmpdir", e);
        }
    }

    private void setUp(Tomcat starting) {
        // Servers that start at the same moment would meet in one name of JMX.
        starting.getEngine().setName("wheelhouse-" + SERVERS.incrementAndGet());
        Context context = starting.addContext("", null);
        if (context instanceof StandardContext standard) {
            standard.setClearReferencesRmiTargets(false);
            standard.setClearReferencesThreadLocals(false);
            StandardManager sessions = new StandardManager();
            // There are no sessions. The platform's source of randomness is the fastest to start.
            sessions.setSecureRandomAlgorithm("");
            standard.setManager(sessions);
        }
        if (starting.getHost() instanceof StandardHost host) {
            // Tomcat's own error pages show stack traces and the version.
            host.setErrorReportValveClass(PlainErrors.class.getName());
        }
        Wrapper servlet = Tomcat.addServlet(context, "api",
                new HttpFront(requests, options, traffic, pages(),
                        () -> kubelets.identity(rest)));
        servlet.setLoadOnStartup(1);
        context.addServletMappingDecoded("/*", "api");
    }

    private WebPages pages() {
        if (!options.security().open()) {
            return WebPages.ofGuardedServer();
        }
        Set<String> hosts = new HashSet<>(Set.of(options.address()));
        if (!options.externalHost().isEmpty()) {
            hosts.add(options.externalHost());
        }
        return WebPages.ofOpenServer(false, hosts, "name the host with --wheelhouse.apiserver.external-hostname=HOST");
    }

    /** The certificates that clients trust, PEM; empty without TLS. */
    public String authority() {
        ApiServerOptions.Tls tls = tls();
        return tls == null ? "" : tls.certificate().trusted();
    }

    /** Whether clients need only the {@link #url}: no credentials, and no certificate to trust. */
    public boolean isOpen() {
        return options.security().open() && options.tls() == null;
    }

    /** The port of the listener; 0 before {@link #start}. */
    public int port() {
        return port;
    }

    /** The address of the server for clients, as {@code http://127.0.0.1:8001}; with TLS {@code https}. */
    public String url() {
        return (options.tls() == null ? "http://" : "https://") + host() + ":" + port;
    }

    /** The host in {@link #url}: the external host if there is one, else one that reaches the address. */
    private String host() {
        String called = options.externalHost().isEmpty()
                ? ApiServerOptions.reachableHost(options.address())
                : options.externalHost();
        return called.contains(":") && !called.startsWith("[") ? "[" + called + "]" : called;
    }

    /** A client that calls the server directly. The user agent also names the field manager of its writes. */
    public KubeClient client(String userAgent) {
        return client(userAgent, Meters.NONE);
    }

    /**
     * A client that calls the server directly, with the rights of the administrator. Its watches never wait.
     *
     * @param userAgent also names the field manager of its writes
     * @param registry counts the requests of the client
     */
    public KubeClient client(String userAgent, MeterRegistry registry) {
        Clock clock = options.clock();
        return new HttpKubeClient(new InProcessTransport(this, userAgent, Credentials.of(User.ADMIN),
                new HttpMeters(registry, clock), clock),
                ContentType.JSON, memory);
    }

    /**
     * Answers a request of this process. A watch is ended by {@link #endWatch}.
     *
     * @throws IOException if a {@link #faults fault} loses the answer
     */
    ApiResponse handle(ApiRequest head, byte[] body) throws IOException, InterruptedException {
        long began = options.clock().nanoTime();
        ApiResponse answer = switch (requests.authorize(head)) {
            case Authorization.Refused refused -> {
                requests.count(head, refused.answer().code(), began);
                yield refused.answer();
            }
            case Authorization.Granted granted -> handle(granted, body, began);
        };
        if (answer instanceof ApiResponse.Content && faults.losesAnswer(head)) {
            throw new IOException("injected fault: no answer");
        }
        return answer;
    }

    /** Sends requests over HTTP that other servers answer, to which only a connection can lead. */
    Transport loopback(String userAgent) {
        return loopbacks.computeIfAbsent(userAgent, name -> Transport.over(new KubeConfigs(options.clock())
                .fromOther(kubeconfig().getBytes(StandardCharsets.UTF_8), "this server").api(), name, options.clock()));
    }

    /** A watch of this process was closed. */
    void endWatch() {
        requests.endWatch(null);
    }

    private ApiResponse handle(Authorization.Granted granted, byte[] body, long began) throws InterruptedException {
        if (body.length > options.limits().body()) {
            return Refusals.of(Errors.tooLarge(options.limits().body()));
        }
        Flow flow = requests.flow(granted.request());
        if (!requests.begin(flow)) {
            return requests.tooManyRequests();
        }
        try (ByteBudget.Part charged = traffic.work().part(flow.sender())) {
            ApiResponse answer = requests.answer(granted, flow, body, charged, began);
            return answer instanceof ApiResponse.Stream stream ? requests.beginWatch(null, stream) : answer;
        } finally {
            requests.end(flow);
        }
    }

    /** Errors and delays to inject, for tests. */
    public Faults faults() {
        return faults;
    }

    /**
     * A kubeconfig by which kubectl and other clients reach the server after {@link #start}. Unless the server is open,
     * it contains the administrator's token and must be kept secret.
     */
    public String kubeconfig() {
        ApiServerOptions.Tls tls = tls();
        // The official JavaScript client refuses plain HTTP without this word. Others do not mind it.
        String authority = tls == null
                ? "\n    insecure-skip-tls-verify: true"
                : "\n    certificate-authority-data: " + Base64.getEncoder()
                        .encodeToString(tls.certificate().trusted().getBytes(StandardCharsets.UTF_8));
        String token = options.security().adminToken();
        return """
                apiVersion: v1
                kind: Config
                current-context: wheelhouse
                clusters:
                - name: wheelhouse
                  cluster:
                    server: %s%s
                users:
                - name: wheelhouse
                  user: %s
                contexts:
                - name: wheelhouse
                  context:
                    cluster: wheelhouse
                    user: wheelhouse
                    namespace: default
                """.formatted(url(), authority, token.isEmpty() ? "{}" : "{token: \"" + token + "\"}");
    }

    /** The REST logic, for transports and tests. */
    public RestServer rest() {
        return rest;
    }

    /** The number of open connections. */
    int openConnections() {
        return traffic.connections().count();
    }

    /** The stored objects, for tests and operators. */
    public ObjectStore store() {
        return store;
    }

    /** Ends all watches, connections and threads, and closes the storage. */
    @Override
    public synchronized void close() {
        closed = true;
        loopbacks.values().forEach(Transport::close);
        store.close();
        closeHttp();
        traffic.close();
        AuditLog audit = options.audit();
        if (audit != null) {
            audit.close();
        }
    }

    private void closeHttp() {
        LoopRunner runner = loops;
        loops = null;
        if (runner != null) {
            runner.close();
        }
        Tomcat stopping = tomcat;
        tomcat = null;
        if (stopping != null) {
            try {
                stopping.stop();
                stopping.destroy();
            } catch (LifecycleException e) {
                log.warn("the API server did not stop cleanly", e);
            }
        }
        Path base = directory;
        directory = null;
        if (base != null) {
            ExpandWar.delete(base.toFile(), false);
        }
    }
}
