package dev.wheelhouse.operator;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.CountedRequests;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.Election;
import dev.wheelhouse.manager.Engine;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.operator.webhook.WebhookServer;
import dev.wheelhouse.operator.webhook.Webhooks;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Runs operators in a process without Spring:
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *     Wheelhouse.builder().operator(new WebsiteOperator()).runUntilStopped();
 * }
 * }</pre>
 *
 * Thread safe. All its threads are daemons.
 */
public final class Wheelhouse implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Wheelhouse.class);

    private final Engine engine;
    private final KubeClient client;
    private final @Nullable HealthServer health;
    private final @Nullable WebhookServer webhooks;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String leadLost = "";

    private Wheelhouse(Builder wanted) {
        KubeConfigs.Connection connection = wanted.connection
                .apply(new KubeConfigs(wanted.clock, wanted.registry));
        Clock clock = wanted.clock;
        // Declarations that cannot work end the start before anything runs.
        List<ControllerDescriptor> operators = new ArrayList<>();
        wanted.operators.forEach(operator -> operators.add(Operators.descriptor(operator)));
        Webhooks methods = Operators.webhooks(wanted.operators);
        CountedRequests.install(connection.api(), wanted.registry, clock);
        client = new HttpKubeClient(connection.api(), clock);
        Election election = election(wanted, connection);
        LoopRunner runner = new LoopRunner("wheelhouse", clock);
        HealthServer opened = null;
        try {
            engine = new Engine.Builder(client, clock, runner).election(election, wanted.standby)
                    .mode(wanted.observes ? ManagerGuard.Mode.OBSERVE : ManagerGuard.Mode.TAKEOVER)
                    .metrics(new ControllerMetrics(wanted.registry, wanted.observations)).grace(wanted.grace)
                    .build(operators);
            log.info("working on {}, by {}", connection.api().getBasePath(), connection.source());
            opened = wanted.healthPort < 0 ? null : HealthServer.start(wanted.healthPort, this);
            webhooks = methods.isEmpty() || wanted.webhooks == null
                    ? null
                    : WebhookServer.start(methods, wanted.webhooks, client, clock,
                            () -> election.leadership().isLeader() && !wanted.observes, runner);
        } catch (RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            election.close();
            client.close();
            throw e;
        }
        health = opened;
        if (webhooks == null && !wanted.observes) {
            WebhookServer.removeEnded(client, runner);
        }
        if (webhooks == null && !methods.isEmpty()) {
            log.warn("the webhook methods of {} are not served: say where by webhooks(WebhookOptions)", methods);
        }
        engine.start();
    }

    private Election election(Builder wanted, KubeConfigs.Connection connection) {
        if (wanted.lease == null || wanted.observes) {
            return Election.none();
        }
        String namespace = wanted.leaseNamespace == null ? connection.namespace() : wanted.leaseNamespace;
        return Election.of(new ElectionOptions(ObjectKey.of(namespace, wanted.lease), Election.identity(),
                Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2)), connection.api(),
                ContentType.PROTOBUF, wanted.clock, wanted.registry, why -> {
                    leadLost = why;
                    Thread.ofPlatform().daemon().name("wheelhouse/end").start(this::close);
                });
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Whether every operator runs, or another process leads and every operator could run at once. */
    public boolean isReady() {
        return engine.manager().isReady() && (webhooks == null || webhooks.isReady());
    }

    /** The reasons why this process is not ready, one sentence each. */
    public List<String> waitingFor() {
        List<String> reasons = new ArrayList<>(isReady() ? List.of() : engine.manager().waitingFor());
        if (webhooks != null && !webhooks.isReady()) {
            reasons.add("webhooks wait for a certificate");
        }
        return reasons;
    }

    /**
     * The writes that the operators would make if they did not only observe, and that nobody has made for 30 s: one
     * sentence for each primary object.
     */
    public List<String> differences() {
        return engine.manager().controllers().stream().flatMap(each -> each.differences().stream()).toList();
    }

    /** The port of {@link Builder#health}; 0 without one. */
    public int healthPort() {
        return health == null ? 0 : health.port();
    }

    /**
     * Waits until this object is closed.
     *
     * @throws IllegalStateException if it closed itself, because this process lost the lead. Its caches may be
     *     outdated, so the process must end and be started again
     */
    public void await() throws InterruptedException {
        closed.await();
        if (!leadLost.isEmpty()) {
            throw new IllegalStateException("this process lost the lead and has to be started again: " + leadLost);
        }
    }

    /**
     * Ends the operators, then the caches and all threads. No reconciliation begins any more; running ones have the
     * time of {@link Builder#stopGrace} to end. The lead is released once they have ended.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        try {
            engine.stop(() -> {});
            if (webhooks != null) {
                webhooks.close();
            }
            client.close();
            if (health != null) {
                health.close();
            }
        } finally {
            closed.countDown();
        }
    }

    /** The settings. Each method returns this object. Not thread safe. */
    public static final class Builder {
        private final List<Operator<?>> operators = new ArrayList<>();
        private Function<KubeConfigs, KubeConfigs.Connection> connection = configs -> configs.isInCluster()
                ? configs.inCluster()
                : configs.resolve(null, null);
        private Clock clock = Clock.system();
        private MeterRegistry registry = Meters.NONE;
        private ObservationRegistry observations = ObservationRegistry.NOOP;
        private Duration grace = Engine.GRACE;
        private @Nullable String lease;
        private @Nullable String leaseNamespace;
        private Standby standby = Standby.WARM;
        private int healthPort = Integer.parseInt(System.getenv().getOrDefault(Manifests.HEALTH_PORT, "-1"));
        private @Nullable WebhookOptions webhooks;
        private boolean observes;

        private Builder() {}

        /** Adds an operator. Call it once for each. */
        public Builder operator(Operator<?> operator) {
            operators.add(operator);
            return this;
        }

        /**
         * Uses an official client, which the caller shuts down. The default is the pod's service account in a pod, and
         * {@code KUBECONFIG} or {@code ~/.kube/config} elsewhere. The default namespace of a Lease is then
         * {@code default}.
         */
        public Builder client(ApiClient client) {
            connection = configs -> new KubeConfigs.Connection(client, "a client that the application made", "default",
                    "", null);
            return this;
        }

        /** Uses the current context of a kubeconfig. */
        public Builder kubeconfig(Path file) {
            connection = configs -> configs.fromFile(file, null);
            return this;
        }

        /** Uses a context of a kubeconfig. */
        public Builder kubeconfig(Path file, String context) {
            connection = configs -> configs.fromFile(file, context);
            return this;
        }

        /** Uses the pod's service account. */
        public Builder inCluster() {
            connection = KubeConfigs::inCluster;
            return this;
        }

        /**
         * Lets operators act only while this process holds a Lease, so that several processes may run. A leader renews
         * it every 2 s, stops acting 10 s after its last renewal, and is replaced 15 s after it.
         *
         * @param lease the name of the Lease, in the namespace of the pod or of the kubeconfig's context
         */
        public Builder leaderElection(String lease) {
            this.lease = lease;
            return this;
        }

        /** The same with a Lease in another namespace. */
        public Builder leaderElection(String namespace, String lease) {
            this.leaseNamespace = namespace;
            return leaderElection(lease);
        }

        /**
         * Keeps no caches while another process leads; by default they are filled. Cold caches save memory and watches,
         * but a process that takes over first lists everything.
         */
        public Builder coldStandby() {
            standby = Standby.COLD;
            return this;
        }

        /** Counts in a Micrometer registry. */
        public Builder metrics(MeterRegistry meters) {
            registry = meters;
            return this;
        }

        /**
         * Makes each reconciliation an observation {@code wheelhouse.sync}, with its writes as children
         * {@code wheelhouse.write}, such as for a tracer. The default is a registry without handlers.
         */
        public Builder observations(ObservationRegistry traces) {
            observations = traces;
            return this;
        }

        /**
         * The time that running reconciliations have to end when this process stops; then they are interrupted. The
         * default is 2 s. A pod needs a {@code terminationGracePeriodSeconds} that is 10 s longer.
         */
        public Builder stopGrace(Duration time) {
            grace = time;
            return this;
        }

        /**
         * Answers {@code /livez} and {@code /readyz} on all addresses of the machine, for a kubelet's probes. The
         * default is the port that the Deployment of {@link Manifests} names, and none elsewhere.
         *
         * @param port 0 for any free port
         */
        public Builder health(int port) {
            healthPort = port;
            return this;
        }

        /**
         * Serves the operators' {@linkplain dev.wheelhouse.operator.webhook webhook methods}, also while another
         * process leads.
         *
         * @param options such as {@code WebhookOptions.behind("default", "website-operator")}
         */
        public Builder webhooks(WebhookOptions options) {
            webhooks = options;
            return this;
        }

        /**
         * Plans and logs all writes, and makes none. It takes no Lease, so that an operator's next version can decide
         * beside the running one: {@link Wheelhouse#differences} and the log tell where it decides otherwise.
         */
        public Builder observeOnly() {
            observes = true;
            return this;
        }

        /**
         * Starts the operators, and returns at once.
         *
         * @throws IllegalArgumentException if an operator's declaration cannot work
         * @throws dev.wheelhouse.client.http.KubeConfigException if there is no API server to connect to
         */
        public Wheelhouse start() {
            return new Wheelhouse(this);
        }

        /**
         * Starts the operators, and returns once the process is asked to end (SIGTERM, SIGINT, or an interrupt of this
         * thread) and they have ended.
         *
         * @throws IllegalStateException if this process lost the lead. It must end, so do not catch it in {@code main}
         */
        public void runUntilStopped() {
            try (Wheelhouse wheelhouse = start()) {
                Thread stop = Thread.ofPlatform().name("wheelhouse/stop").unstarted(wheelhouse::close);
                Runtime.getRuntime().addShutdownHook(stop);
                wheelhouse.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
