package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.ControllerClients;
import dev.wheelhouse.console.ClusterHealth;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.event.LoggedEvents;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.manager.Election;
import dev.wheelhouse.manager.Engine;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Shards;
import dev.wheelhouse.manager.UpstreamControllers;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Runs controllers in a Spring Boot application: {@link Operator} beans, reconcilers for the official client,
 * further {@link ControllerDescriptor} beans, and those built-in controllers that {@code wheelhouse.controllers}
 * names. In a {@link StandaloneService} all built-in controllers are on by default. A bean of the application takes
 * the place of a bean of the same type here.
 */
@AutoConfiguration(beforeName = OfficialInformersConfiguration.INTEGRATION)
@ConditionalOnBooleanProperty(name = "wheelhouse.enabled", matchIfMissing = true)
@EnableConfigurationProperties({WheelhouseProperties.class, ControllerManagerFlags.class})
class WheelhouseAutoConfiguration {
    /** A property that {@code @SpringBootTest} sets. */
    private static final String SPRING_BOOT_TEST = "org.springframework.boot.test.context"
            + ".SpringBootTestContextBootstrapper";
    private static final String RECONCILER = "io.kubernetes.client.extended.controller.reconciler.Reconciler";

    private final WheelhouseProperties properties;
    private final ControllerManagerFlags flags;
    private final boolean service;
    /** Whether the options want no API server. */
    private final boolean alone;

    WheelhouseAutoConfiguration(WheelhouseProperties properties, ControllerManagerFlags flags,
            Environment environment) {
        this.properties = properties;
        this.flags = flags;
        this.service = ServiceDefaults.areIn(environment);
        this.alone = properties.mode() == WheelhouseProperties.Mode.NONE;
        UnknownOptions.refuse(environment, service);
    }

    @Bean
    @ConditionalOnMissingBean
    Clock wheelhouseClock() {
        return Clock.system();
    }

    /**
     * The metrics of all parts, if the application has a Micrometer registry. If there are several registries and none
     * is the primary one, each of them gets the metrics.
     */
    @Bean
    @ConditionalOnMissingBean
    static ControllerMetrics wheelhouseMetrics(WheelhouseProperties properties,
            ObjectProvider<MeterRegistry> registries, ObjectProvider<ObservationRegistry> traces) {
        List<MeterRegistry> all = registries.orderedStream().toList();
        MeterRegistry registry = all.isEmpty()
                ? Meters.NONE
                : registries.getIfUnique(() -> new CompositeMeterRegistry(
                        io.micrometer.core.instrument.Clock.SYSTEM, all));
        return new ControllerMetrics(registry, properties.tracing()
                ? traces.getIfUnique(() -> ObservationRegistry.NOOP)
                : ObservationRegistry.NOOP);
    }

    /** The connection to the API server, if the application has made an official client: by that client. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ApiClient.class)
    @ConditionalOnMissingBean(ApiServerConnection.class)
    static class GivenClient {
        @Bean(destroyMethod = "close")
        ApiServerConnection wheelhouseConnection(ApiClient client, ControllerManagerFlags flags, Clock clock,
                ControllerMetrics metrics) {
            return ApiServerConnection.of(client, flags.contentType(), clock, metrics.registry());
        }
    }

    /** The connection to the API server, as the options describe it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean({ApiClient.class, ApiServerConnection.class})
    static class ConfiguredClient {
        @Bean(destroyMethod = "close")
        ApiServerConnection wheelhouseConnection(WheelhouseProperties properties, ControllerManagerFlags flags,
                Environment environment, ListableBeanFactory beans, Clock clock, ControllerMetrics metrics) {
            return ApiServerConnection.open(properties, flags.contentType(), ServiceDefaults.areIn(environment),
                    use(properties, environment, beans), clock, metrics.registry());
        }

        /** Looks at names and classes alone, because beans may need the connection. */
        private static ApiServerConnection.Use use(WheelhouseProperties properties, Environment environment,
                ListableBeanFactory beans) {
            if (environment.getProperty(SPRING_BOOT_TEST, boolean.class, false)) {
                return ApiServerConnection.Use.TEST;
            }
            Stream<Class<?>> controllers = Stream.of(Operator.class, ControllerDescriptor.class);
            if (ClassUtils.isPresent(RECONCILER, WheelhouseAutoConfiguration.class.getClassLoader())) {
                controllers = Stream.concat(controllers, Stream.of(
                        ClassUtils.resolveClassName(RECONCILER, WheelhouseAutoConfiguration.class.getClassLoader())));
            }
            return properties.controllers().equals(List.of("*"))
                    && controllers.allMatch(type -> beans.getBeanNamesForType(type, true, false).length == 0)
                            ? ApiServerConnection.Use.NOTHING
                            : ApiServerConnection.Use.CONTROLLERS;
        }

        /** The official client of the same API server, for beans that are written against it. */
        @Bean
        ApiClient wheelhouseApiClient(ApiServerConnection connection) {
            return connection.api();
        }
    }

    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    KubeClient wheelhouseClient(ApiServerConnection connection) {
        return connection.client();
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    InformerFactory wheelhouseInformers(KubeClient client, Clock clock, ControllerMetrics metrics) {
        return new InformerFactory(client, clock, metrics.registry(),
                properties.informer().options().toBuilder().minResync(flags.minResyncPeriod()).build());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    EventBroadcaster wheelhouseEvents(KubeClient client, Clock clock, Journal journal,
            ControllerMetrics metrics) {
        return new EventBroadcaster(client, clock, metrics.registry(), journal);
    }

    /**
     * The guard against a second controller manager. The embedded API server has no other manager. On another server,
     * this process may contend for the other manager's own Lease; then the two never act at the same time, and the
     * guard lets all controllers write.
     */
    @Bean
    ManagerGuard wheelhouseGuard(ApiServerConnection connection, KubeClient client, Election election, Clock clock) {
        boolean only = alone || connection.embedded() != null || election.isFor(ManagerGuard.LEASE);
        ManagerGuard.Mode mode = properties.manage() == ManagerGuard.Mode.AUTO && only
                ? ManagerGuard.Mode.TAKEOVER
                : properties.manage();
        return new ManagerGuard(mode, client, clock);
    }

    @Bean(destroyMethod = "close")
    Election wheelhouseElection(ApiServerConnection connection, Clock clock, ControllerMetrics metrics,
            ApplicationEventPublisher publisher, Environment environment) {
        ElectionProperties wanted = flags.election(properties.leaderElection());
        boolean shards = properties.shards() > 1;
        if (!(wanted.enabled() != null ? wanted.enabled() : connection.inCluster() || shards)) {
            if (shards) {
                throw new BadOption("wheelhouse.shards is " + properties.shards()
                        + ", but wheelhouse.leader-election.enabled is false: shards are led by Leases");
            }
            return Election.none();
        }
        var options = wanted.options(connection.namespace(),
                environment.getProperty("spring.application.name", "wheelhouse"), Election.identity());
        return Election.of(options, connection.api(), connection.contentType(), clock,
                metrics.registry(), why -> publisher.publishEvent(new LeadLostEvent(this)));
    }

    /**
     * Closes an application that has lost the lead, because its caches and controllers are outdated. Its pod is then
     * started again.
     */
    @Bean
    @ConditionalOnMissingBean(value = ServiceConfiguration.class, name = "wheelhouseEndWithTheLead")
    ApplicationListener<LeadLostEvent> wheelhouseEndWithTheLead(ConfigurableApplicationContext context) {
        return new EndWithTheLead(context);
    }

    /** A class and not a lambda, because Spring reads the type of the event from the class. */
    private record EndWithTheLead(ConfigurableApplicationContext context)
            implements
                ApplicationListener<LeadLostEvent> {
        @Override
        public void onApplicationEvent(LeadLostEvent event) {
            Thread.ofPlatform().name("wheelhouse-end").start(context::close);
        }
    }

    @Bean(destroyMethod = "close")
    LoopRunner wheelhouseRunner(Clock clock) {
        return new LoopRunner("controllers", clock);
    }

    @Bean
    Journal wheelhouseJournal(Clock clock) {
        return new Journal(clock, properties.console().journal().toBytes());
    }

    @Bean
    ClusterHealth wheelhouseClusterHealth(SharedInformerFactory caches, ControllerManager manager, Journal journal,
            Clock clock, ControllerMetrics metrics) {
        return new ClusterHealth(caches, manager, journal, clock, metrics.registry());
    }

    @Bean(destroyMethod = "close")
    ControllerClients wheelhouseControllerClients(ApiServerConnection connection, KubeClient client, Clock clock) {
        if (flags.useServiceAccountCredentials() && connection.anonymous() == null) {
            throw new BadOption("wheelhouse.use-service-account-credentials is set, but the application made the client"
                    + " of the API server: leave it out, or let Wheelhouse connect");
        }
        return new ControllerClients(client, connection.api(),
                flags.useServiceAccountCredentials() ? connection.anonymous() : null, connection.contentType(),
                flags.kubeApiQps(), flags.kubeApiBurst(), clock);
    }

    @Bean
    @ConditionalOnMissingBean
    ControllerContext wheelhouseContext(Shards.Contexts contexts, SharedInformerFactory informers, Election election,
            ControllerMetrics metrics) {
        return contexts.of(informers, election.leadership(), metrics);
    }

    @Bean
    Shards.Contexts wheelhouseContexts(ApiServerConnection connection, KubeClient client, EventBroadcaster events,
            ManagerGuard guard, Clock clock, Journal journal, ObjectProvider<KnownControllers> known,
            ControllerClients clients) {
        // The application's controllers may need beans that need this one.
        Supplier<ControllerContext.Workers> workers = SingletonSupplier
                .of(() -> known.getObject().workers(properties, flags));
        return Engine.contexts(client, name -> clients.of(name, UpstreamControllers.account(name)), clock, events,
                guard, (controller, preset) -> workers.get().of(controller, preset), Parallel.virtualThreads(16),
                Identities.options(flags, connection), journal);
    }

    @Bean
    Shards wheelhouseShards(Shards.Contexts contexts, InformerFactory informers, ManagerGuard guard,
            Election election, LoopRunner runner, Clock clock, ControllerMetrics metrics) {
        if (properties.shards() == 1) {
            return Shards.none(informers, guard, runner);
        }
        return BadOption.checked("wheelhouse.leader-election.resource-name: ",
                () -> new Shards(informers, contexts, guard, metrics, runner,
                        work -> election.shards(properties.shards(), clock, runner, metrics.registry(), work)));
    }

    @Bean
    KnownControllers wheelhouseControllers(ObjectProvider<Operator<?>> operators,
            ObjectProvider<UserControllers> others, ObjectProvider<ControllerDescriptor> descriptors) {
        return KnownControllers.of(operators, others, descriptors);
    }

    @Bean(destroyMethod = "close")
    ControllerManager wheelhouseManager(ControllerContext context, Shards shards, Election election,
            KnownControllers known, ApiServerConnection connection) {
        known.workers(properties, flags);
        List<ControllerDescriptor> selected = alone ? List.of() : known.selected(properties.controllers(), service);
        ApiServerConnection.Embedded embedded = connection.embedded();
        if (embedded != null) {
            Map<String, String> warnings = new HashMap<>(ControllerSelection.unhandled(selected));
            if (properties.node().isReal()) {
                warnings.put("networkpolicies.networking.k8s.io",
                        "the nodes of this server ignore NetworkPolicies: all pods reach each other");
            }
            embedded.server().rest().warnOfUnhandled(warnings);
        }
        return BadOption.checked("",
                () -> shards.manager(context, selected, election.leadership(), properties.standby()));
    }

    /**
     * The server of the operators' webhooks. It is not lazy, because API servers call it and no other bean may need it.
     */
    @Bean(destroyMethod = "close")
    @Lazy(false)
    ServedWebhooks wheelhouseWebhooks(ObjectProvider<Operator<?>> operators, ApiServerConnection connection,
            ManagerGuard guard, Election election, Clock clock, LoopRunner runner) {
        return ServedWebhooks.start(operators.orderedStream().toList(), properties.webhooks(), connection, clock,
                () -> election.leadership().isLeader() && !guard.observes("webhooks"), runner);
    }

    @Bean
    Engine wheelhouseEngine(Election election, ControllerManager manager, Shards shards, InformerFactory informers,
            EventBroadcaster events, LoopRunner runner) {
        return new Engine(election, manager, shards, informers, events, runner, properties.stopGrace());
    }

    @Bean
    InformerStates wheelhouseInformerStates(SharedInformerFactory informers, Shards shards) {
        return () -> Stream.of(informers.states(), shards.states()).flatMap(List::stream).toList();
    }

    /** The nodes of this process. There are none unless the options name some, or the API server is embedded. */
    @Bean(destroyMethod = "close")
    HollowCluster wheelhouseNodes(ApiServerConnection connection, KubeClient client, SharedInformerFactory informers,
            EventBroadcaster events, Clock clock, ControllerMetrics metrics, LoopRunner runner) {
        NodeJoin join = properties.join();
        if (join != null) {
            runner.start("node-credentials", join.renewal(client, clock));
        }
        boolean embedded = connection.embedded() != null;
        boolean scheduler = properties.scheduler() != null ? properties.scheduler() : embedded;
        boolean storage = properties.nodes().storage() != null ? properties.nodes().storage() : embedded;
        List<NodeAgentOptions> wanted = ConfiguredNodes.of(properties, embedded, Path.of(""), Host.name());
        if (alone) {
            ConfiguredNodes.requireManifests(wanted);
        }
        EventRecorder logged = new LoggedEvents(clock);
        return new HollowCluster(new HollowCluster.Options(wanted, scheduler, storage,
                ConfiguredNodes.addresses(properties, embedded), alone, ConfiguredNodes.scheduler(properties)),
                client, informers,
                alone ? component -> logged : events::recorder, metrics.registry(), clock);
    }

    @Bean
    ServiceLifecycle wheelhouseLifecycle(Engine engine, HollowCluster cluster,
            ObjectProvider<ReadyAnnouncer> announcers, ApiServerConnection connection) {
        return new ServiceLifecycle(engine, cluster, announcers, alone ? null : connection.absent());
    }

}
