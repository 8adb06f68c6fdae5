package dev.wheelhouse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.operator.Crds;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.operator.Operators;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.operator.webhook.WebhookServer;
import dev.wheelhouse.operator.webhook.Webhooks;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;

/**
 * An API server that listens on loopback, with clients for it and, on request, operators, controllers and hollow nodes.
 * These run on threads of their own, or with a manual clock only inside of {@link #settle} and {@link #advance}, on the
 * thread of the test. Thread safe, but for those two methods.
 *
 * <p>With the system property {@code wheelhouse.test.kubeconfig} the cluster of that file takes the server's place: the
 * operators run in this process, the cluster has its own controllers and nodes. What {@link #user} created is deleted
 * at the end. A test that needs more, such as a manual clock or faults, is skipped.
 */
public final class TestServer implements AutoCloseable {
    /** A strong reference: a logger that is garbage collected loses its level. */
    private static final Logger TOMCAT = Logger.getLogger("org.apache");
    /** More rounds than any test needs whose controllers come to rest. */
    private static final int MOST_ROUNDS = 5_000;
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final String CLIENT = "wheelhouse";
    /** The property with the kubeconfig of a cluster that takes the server's place. */
    static final String CLUSTER = "wheelhouse.test.kubeconfig";
    static final String GARBAGE_COLLECTOR = "garbage-collector-controller";

    /** Null if a cluster takes its place. */
    private final @Nullable ApiServer server;
    private final Clock clock;
    private final User user;
    private final @Nullable Stepper stepper;
    private @Nullable ControllerProcess process;
    private @Nullable LoopRunner webhookLoops;
    private @Nullable WebhookServer webhooks;
    private @Nullable ApiClient api;
    private @Nullable KubeClient client;
    private @Nullable Path kubeconfig;
    private boolean closed;

    private TestServer(Builder builder) {
        clock = builder.clock;
        String cluster = System.getProperty(CLUSTER, "");
        if (!cluster.isEmpty()) {
            server = null;
            stepper = null;
            kubeconfig = Path.of(cluster);
            if (clock instanceof ManualClock) {
                throw notOfACluster("a manual clock");
            }
            user = new User(client());
            run(builder, () -> start(
                    builder.operators.stream().<ControllerDescriptor>map(Operators::descriptor).toList(), 0,
                    Options.DEFAULTS));
            return;
        }
        Security security = builder.options.security();
        // With a manual clock, nothing makes the accounts while a request waits for them.
        boolean podAccounts = builder.controllers && !(clock instanceof ManualClock);
        RuntimeConfig apis = builder.options.runtimeConfig();
        ApiServerOptions options = builder.options.withClock(clock)
                .withSecurity(security.withPodAccounts(podAccounts))
                .withRuntimeConfig(builder.nodes == 0 ? apis : apis.withDefault(RuntimeConfig.RESOURCE_METRICS));
        ApiServer embedded = new ApiServer(
                security.open() || options.tls() != null ? options : options.withTls(tls()));
        server = embedded;
        user = new User(embedded.client("user"));
        stepper = clock instanceof ManualClock manual
                ? new Stepper(manual, embedded.store()::version, MOST_ROUNDS, null, true)
                : null;
        run(builder, () -> {
            List<ControllerDescriptor> controllers = builder.controllers();
            if (!controllers.isEmpty() || builder.nodes > 0) {
                start(controllers, builder.nodes, Options.DEFAULTS.with(
                        ControllerOptions.Identity.DEFAULTS.with(embedded.authority(), security.signingKeys())));
            }
        });
    }

    private void run(Builder builder, Runnable start) {
        try {
            builder.crds.forEach(crd -> user.make(Crds.of(crd)));
            builder.manifests.forEach(user::create);
            if (server != null && stepper == null) {
                listen();
            }
            serve(Operators.webhooks(builder.operators));
            start.run();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** TLS for a server that asks who its clients are, because clients send no credentials without it. */
    private static ApiServerOptions.Tls tls() {
        Instant now = Clock.system().now();
        return new ApiServerOptions.Tls(OwnAuthority.of(ServerKeys.inMemory(), now).serving(List.of(), now), null);
    }

    /** Webhooks have the system's clock, because their certificates are checked by it. */
    private void serve(Webhooks methods) {
        if (!methods.isEmpty() && server == null) {
            throw notOfACluster("a server that reaches its webhooks");
        }
        if (!methods.isEmpty()) {
            LoopRunner loops = new LoopRunner("webhooks", Clock.system());
            webhookLoops = loops;
            WebhookServer served = WebhookServer.start(methods, WebhookOptions.local(), operatorsClient(),
                    Clock.system(), () -> true, loops);
            webhooks = served;
            served.refresh();
        }
    }

    private void start(List<ControllerDescriptor> controllers, int nodes, Options options) {
        KubeClient own = operatorsClient();
        Stepper steps = stepper;
        if (steps == null) {
            process = ControllerProcess.onThreads(own, clock, controllers, nodes, options);
            return;
        }
        ControllerProcess stepped = ControllerProcess.stepped(new InterceptedClient(own, new CountedWrites(steps)),
                steps.clock(), controllers, nodes,
                process -> process.caches(InformerOptions.builder().seed(1).build()).options(options));
        steps.add(stepped);
        process = stepped;
    }

    private KubeClient operatorsClient() {
        return server == null ? client() : server.client(CLIENT);
    }

    private static RuntimeException notOfACluster(String what) {
        return Assumptions.abort("this test needs " + what + ", and " + CLUSTER + " names a cluster that has none");
    }

    /** Starts a server in memory, on a free port, without controllers and nodes. */
    public static TestServer start() {
        return builder().start();
    }

    /**
     * Starts a server. It listens with TLS if it authenticates its clients.
     * Controllers and nodes may still be starting when it returns, so tests wait for their effects.
     *
     * @param controllers whether the built-in controllers run on the server
     * @param nodes the number of hollow nodes; if there are any, a scheduler runs too
     */
    @PublicApi(false)
    public static TestServer start(ApiServerOptions options, boolean controllers, int nodes) {
        return builder().options(options).controllers(controllers).nodes(nodes).start();
    }

    /** A server in memory, on a free port, with the system's clock and nothing that runs on it. */
    public static Builder builder() {
        return new Builder();
    }

    /** The settings of a server. Each method returns this object. Not thread safe. */
    public static final class Builder {
        private ApiServerOptions options = ApiServerOptions.defaults();
        private Clock clock = Clock.system();
        private final List<Class<? extends KubernetesObject>> crds = new ArrayList<>();
        private final List<String> manifests = new ArrayList<>();
        private final List<Operator<?>> operators = new ArrayList<>();
        private boolean controllers;
        private int nodes;

        private Builder() {}

        /** The options of the server, except for its clock. */
        @PublicApi(false)
        public Builder options(ApiServerOptions value) {
            options = value;
            return this;
        }

        /** Installs the CustomResourceDefinitions of classes with {@code @ResourceDefinition}. */
        @SafeVarargs
        public final Builder crds(Class<? extends KubernetesObject>... types) {
            crds.addAll(List.of(types));
            return this;
        }

        /**
         * Creates the objects of YAML files, such as CustomResourceDefinitions.
         *
         * @param resources names of the class path, such as {@code /crds/website.yaml}
         * @throws IllegalArgumentException if there is no such resource
         */
        public Builder manifests(String... resources) {
            for (String resource : resources) {
                manifests.add(read(resource));
            }
            return this;
        }

        private static String read(String resource) {
            String name = resource.startsWith("/") ? resource.substring(1) : resource;
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            try (InputStream in = loader.getResourceAsStream(name)) {
                if (in == null) {
                    throw new IllegalArgumentException("the class path has no resource \"" + name
                            + "\": put the file into src/test/resources or src/main/resources");
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException("could not read " + name, e);
            }
        }

        /**
         * Runs operators, and the garbage collector, which deletes objects whose owner is gone. Their webhook methods
         * are served and configured when the server has started.
         */
        public Builder operators(Operator<?>... instances) {
            operators.addAll(List.of(instances));
            return this;
        }

        /** Whether the built-in controllers run. */
        public Builder controllers(boolean run) {
            controllers = run;
            return this;
        }

        /** The number of hollow nodes; if there are any, a scheduler runs too. */
        public Builder nodes(int count) {
            nodes = count;
            return this;
        }

        /**
         * Time stands still, and operators, controllers and nodes rest, but for {@link #settle} and {@link #advance}.
         */
        public Builder manualClock() {
            clock = new ManualClock();
            return this;
        }

        private List<ControllerDescriptor> controllers() {
            List<ControllerDescriptor> all = new ArrayList<>(
                    BuiltInControllers.all().stream().filter(c -> controllers
                            || (!operators.isEmpty() && c.name().equals(GARBAGE_COLLECTOR))).toList());
            operators.forEach(operator -> all.add(Operators.descriptor(operator)));
            return all;
        }

        /** Starts the server. With the system's clock, operators may still be starting when it returns. */
        public TestServer start() {
            return new TestServer(this);
        }
    }

    /** Counts the writes that a stepper names if it does not come to rest. */
    private record CountedWrites(Stepper stepper) implements Interceptor {
        @Override
        public <R> R write(WriteRequest request, Supplier<R> call) {
            stepper.requested(request.toString());
            return call.get();
        }
    }

    /**
     * Lets operators, controllers and nodes do everything that they can do at the present time.
     *
     * @throws AssertionError that names what goes on, if they do not come to rest within a minute of real time
     * @throws IllegalStateException with the system's clock, because everything runs on threads of its own
     */
    public void settle() {
        settle(LONGEST);
    }

    /** @param longest the real time that it may take */
    void settle(Duration longest) {
        Stepper steps = stepper("settle()");
        steps.within(longest, steps::settle);
    }

    /**
     * Lets time pass. Operators, controllers and nodes do everything that becomes due meanwhile, at its time.
     *
     * @throws AssertionError that names what goes on, if they do not come to rest within a minute of real time
     * @throws IllegalStateException with the system's clock
     */
    public void advance(Duration time) {
        Stepper steps = stepper("advance()");
        steps.within(LONGEST, () -> steps.advance(time));
    }

    private Stepper stepper(String method) {
        Stepper steps = stepper;
        if (steps == null) {
            throw new IllegalStateException(method + " needs a manual clock: start the server with clock = MANUAL, or"
                    + " wait by Eventually");
        }
        return steps;
    }

    /**
     * The clock of the server and of all that runs on it. Unlike {@link #advance}, the clock alone does nothing that
     * becomes due.
     *
     * @throws IllegalStateException with the system's clock
     */
    public ManualClock clock() {
        return stepper("clock()").clock();
    }

    /** Creates, reads and changes objects, as somebody with kubectl. */
    public User user() {
        return user;
    }

    /** The server's URL, such as {@code http://127.0.0.1:8001}; with TLS or authentication {@code https}. */
    public String url() {
        return server == null ? apiClient().getBasePath() : listen().url();
    }

    /** The server itself. A test that runs on a cluster is skipped. */
    @PublicApi(false)
    public ApiServer server() {
        if (server == null) {
            throw notOfACluster("the embedded server");
        }
        return server;
    }

    /** With a manual clock the server listens only once somebody asks for its address, because that takes time. */
    private synchronized ApiServer listen() {
        if (closed) {
            throw new IllegalStateException("this test server was closed: ask for its address, its clients and its "
                    + "kubeconfig before");
        }
        ApiServer embedded = server();
        if (embedded.port() == 0) {
            if (TOMCAT.getLevel() == null) {
                TOMCAT.setLevel(Level.WARNING);
            }
            embedded.start();
        }
        return embedded;
    }

    /** This project's client, over HTTP, in the encoding in which the server stores objects. */
    @PublicApi(false)
    public synchronized KubeClient client() {
        KubeClient made = client;
        if (made == null) {
            made = new HttpKubeClient(apiClient(), ContentType.JSON, Clock.system());
            client = made;
        }
        return made;
    }

    /** The official client, over HTTP. */
    public synchronized ApiClient apiClient() {
        ApiClient made = api;
        if (made == null) {
            made = server != null && server.isOpen()
                    ? new ClientBuilder().setBasePath(url()).build()
                    : new KubeConfigs(Clock.system()).fromFile(kubeconfig(), null).api();
            api = made;
        }
        return made;
    }

    /** Whether a cluster takes the embedded server's place. */
    boolean isCluster() {
        return server == null;
    }

    /** Injects errors and delays into the server's answers. A test that runs on a cluster is skipped. */
    public Faults faults() {
        return server().faults();
    }

    /**
     * The path of a kubeconfig for kubectl, helm and other clients. The file is deleted when the server is closed.
     * @throws UncheckedIOException if the file cannot be written
     */
    public synchronized Path kubeconfig() {
        Path file = kubeconfig;
        if (file == null) {
            String content = listen().kubeconfig();
            try {
                file = Files.createTempFile("wheelhouse", ".kubeconfig");
                Files.writeString(file, content);
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
        closed = true;
        if (server == null && client != null) {
            user.deleteAll();
        }
        if (process != null) {
            process.close();
        }
        if (webhookLoops != null) {
            webhookLoops.close();
        }
        if (webhooks != null) {
            webhooks.close();
        }
        if (client != null) {
            client.close();
        }
        if (api != null) {
            api.getHttpClient().dispatcher().executorService().shutdown();
            api.getHttpClient().connectionPool().evictAll();
        }
        Path file = kubeconfig;
        kubeconfig = null;
        if (server != null) {
            server.close();
        }
        if (server != null && file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException("could not delete " + file, e);
            }
        }
    }
}
