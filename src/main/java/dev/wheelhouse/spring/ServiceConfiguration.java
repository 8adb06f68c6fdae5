package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Makes the parts of the service. Each {@link Operator} bean and each {@link ControllerDescriptor} bean is run as a
 * controller.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WheelhouseProperties.class)
class ServiceConfiguration {

    @Bean
    Clock clock() {
        return Clock.system();
    }

    @Bean(destroyMethod = "close")
    ApiServerConnection connection(WheelhouseProperties properties, Clock clock) {
        return ApiServerConnection.open(properties, clock);
    }

    @Bean(destroyMethod = "")
    KubeClient kubeClient(ApiServerConnection connection) {
        return connection.client();
    }

    /** The official client of the same API server, for beans that are written against it. */
    @Bean
    ApiClient apiClient(ApiServerConnection connection) {
        return connection.api();
    }

    @Bean(destroyMethod = "close")
    InformerFactory informers(WheelhouseProperties properties, KubeClient client, Clock clock,
            MeterRegistry registry) {
        return new InformerFactory(client, clock, new InformerMeters(registry, clock),
                properties.informer().options());
    }

    @Bean(destroyMethod = "close")
    EventBroadcaster events(KubeClient client, Clock clock, MeterRegistry registry) {
        return new EventBroadcaster(client, clock, new EventMeters(registry));
    }

    /** The embedded API server has no other controller manager. */
    @Bean
    ManagerGuard managerGuard(WheelhouseProperties properties, ApiServerConnection connection, Clock clock) {
        ManagerGuard.Mode mode = properties.manage() == ManagerGuard.Mode.AUTO && connection.embedded() != null
                ? ManagerGuard.Mode.TAKEOVER
                : properties.manage();
        return new ManagerGuard(mode, connection.client(), clock);
    }

    @Bean(destroyMethod = "close")
    Election election(WheelhouseProperties properties, ApiServerConnection connection, Clock clock,
            MeterRegistry registry,
            ApplicationEventPublisher publisher) {
        ElectionProperties wanted = properties.leaderElection();
        if (!(wanted.enabled() != null ? wanted.enabled() : connection.inCluster())) {
            return Election.none();
        }
        return Election.of(wanted.options(connection.namespace(), Election.identity(ConfiguredNodes.hostName())),
                connection.api(), clock, new ElectionReporter(wanted.resourceName(), registry, publisher));
    }

    @Bean
    ControllerContext controllerContext(WheelhouseProperties properties, ApiServerConnection connection,
            SharedInformerFactory informers, EventBroadcaster events, ManagerGuard guard, Election election,
            Clock clock, MeterRegistry registry, ObjectProvider<KnownControllers> known) {
        // The application's controllers may need beans that need this one.
        Supplier<Map<String, Integer>> workers = SingletonSupplier
                .of(() -> known.getObject().workers(properties.workersOf()));
        return new DefaultControllerContext(connection.client(), informers, clock, events::recorder,
                new DefaultControllerContext.Settings(
                        (controller, preset) -> workers.get().getOrDefault(controller,
                                preset == null ? properties.workers() : preset),
                        Parallel.virtualThreads(16), guard::observes,
                        controller -> election.leadership().isLeader() && !guard.observes(controller),
                        new WorkQueueMeters(registry), new ControllerMeters(registry)));
    }

    @Bean(destroyMethod = "close")
    LoopRunner controllerRunner(Clock clock) {
        return new LoopRunner("controllers", clock);
    }

    @Bean
    KnownControllers knownControllers(ObjectProvider<Operator<?>> operators, ObjectProvider<UserControllers> others,
            ObjectProvider<ControllerDescriptor> descriptors) {
        return KnownControllers.of(operators, others, descriptors);
    }

    @Bean(destroyMethod = "close")
    ControllerManager controllerManager(WheelhouseProperties properties, ControllerContext context,
            ManagerGuard guard, Election election, LoopRunner controllerRunner, KnownControllers known) {
        known.workers(properties.workersOf());
        try {
            return new ControllerManager(context, known.selected(properties.controllers()), guard,
                    election.leadership(), controllerRunner);
        } catch (IllegalArgumentException e) {
            throw new BadOption(String.valueOf(e.getMessage()));
        }
    }

    @Bean
    InformerStates informerStates(SharedInformerFactory informers) {
        return informers::states;
    }

    @Bean
    CachesHealthIndicator caches(ControllerManager manager, ObjectProvider<InformerStates> informers, Clock clock) {
        return new CachesHealthIndicator(manager::isRunning, manager::standsBy, manager::waitingFor,
                informers.orderedStream().toList(), clock);
    }

    @Bean
    ControllersHealthIndicator controllers(ControllerManager manager) {
        return new ControllersHealthIndicator(manager);
    }

    /** Out of service while the storage of the embedded API server takes no writes. */
    @Bean
    HealthIndicator storage(ApiServerConnection connection) {
        return () -> {
            String problem = connection.storageProblem();
            return problem == null
                    ? Health.up().build()
                    : Health.outOfService().withDetail("reason", "writes are refused: " + problem).build();
        };
    }

    @Bean
    InformersEndpoint informersEndpoint(ObjectProvider<InformerStates> informers, Clock clock) {
        return new InformersEndpoint(informers.orderedStream().toList(), clock);
    }

    @Bean
    PlanEndpoint planEndpoint(ControllerManager manager) {
        return new PlanEndpoint(manager);
    }

    @Bean(destroyMethod = "close")
    HollowCluster hollowCluster(WheelhouseProperties properties, ApiServerConnection connection,
            SharedInformerFactory informers,
            EventBroadcaster events, Clock clock, MeterRegistry registry) {
        boolean embedded = connection.embedded() != null;
        boolean scheduler = properties.scheduler() != null ? properties.scheduler() : embedded;
        List<NodeAgentOptions> nodes = ConfiguredNodes.of(properties, embedded, Path.of(""),
                ConfiguredNodes.hostName());
        return new HollowCluster(new HollowCluster.Options(nodes, scheduler),
                connection.client(),
                informers, events::recorder, new SchedulerMeters(registry), new NodeMeters(registry),
                new WorkQueueMeters(registry), clock);
    }

    @Bean
    PodSourcesEndpoint podSourcesEndpoint(HollowCluster cluster) {
        return new PodSourcesEndpoint(cluster);
    }

    @Bean
    ServiceLifecycle serviceLifecycle(ApiServerConnection connection, Election election, ControllerManager manager,
            HollowCluster cluster, InformerFactory informers, EventBroadcaster events, LoopRunner controllerRunner,
            Environment environment, Clock clock) {
        ReadyAnnouncer announcer = new ReadyAnnouncer(connection, manager, cluster,
                () -> environment.getProperty("local.server.port", Integer.class, 0), clock, System.out);
        return new ServiceLifecycle(election, manager, cluster, informers, events, announcer, controllerRunner);
    }
}
