package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.manager.BuiltInControllers;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.manager.HollowCluster;
import dev.wheelhouse.manager.OtherManager;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.scheduler.SchedulerMetrics;
import dev.wheelhouse.spring.WheelhouseProperties.Manage;

/** The service, put together. {@link ControllerDescriptor} beans beside it run as controllers of their own. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WheelhouseProperties.class)
class ServiceConfiguration {
    private static final Logger log = LoggerFactory.getLogger(ServiceConfiguration.class);
    private static final int DEFAULT_NODES = 2;

    @Bean
    Clock clock() {
        return Clock.system();
    }

    @Bean(destroyMethod = "close")
    Connection connection(WheelhouseProperties properties, Clock clock) {
        // Before anything starts, so that a controller that does not exist is refused at once.
        selected(properties);
        return Connections.open(properties, clock);
    }

    @Bean(destroyMethod = "")
    KubeClient kubeClient(Connection connection) {
        return connection.client();
    }

    /** The same API server for beans that are written against the official client. */
    @Bean
    ApiClient apiClient(Connection connection) {
        return connection.api();
    }

    @Bean(destroyMethod = "close")
    SharedInformerFactory informers(KubeClient client, Clock clock, MeterRegistry registry) {
        return new InformerFactory(client, clock, new InformerMeters(registry), InformerOptions.defaults());
    }

    @Bean(destroyMethod = "close")
    EventBroadcaster events(KubeClient client, Clock clock, MeterRegistry registry) {
        return new EventBroadcaster(client, clock, new EventMeters(registry));
    }

    @Bean
    ControllerContext controllerContext(WheelhouseProperties properties, Connection connection,
            SharedInformerFactory informers,
            EventBroadcaster events, Clock clock, MeterRegistry registry) {
        boolean observeOnly = observeOnly(properties, connection, clock);
        return new DefaultControllerContext(connection.client(), informers, clock, events::recorder,
                new DefaultControllerContext.Settings(controller -> properties.workers(), Parallel.virtualThreads(16),
                        observeOnly,
                        new WorkQueueMeters(registry), new ControllerMeters(registry)));
    }

    @Bean(destroyMethod = "close")
    LoopRunner controllerRunner(Clock clock) {
        return new LoopRunner("controllers", clock);
    }

    @Bean(destroyMethod = "close")
    ControllerManager controllerManager(WheelhouseProperties properties, ControllerContext context,
            LoopRunner controllerRunner,
            ObjectProvider<ControllerDescriptor> others) {
        List<ControllerDescriptor> descriptors = new ArrayList<>(selected(properties));
        others.orderedStream().forEach(descriptors::add);
        return new ControllerManager(context, descriptors, controllerRunner);
    }

    @Bean
    CachesHealthIndicator caches(ControllerManager manager, SharedInformerFactory informers, Clock clock) {
        return new CachesHealthIndicator(manager, informers, clock);
    }

    @Bean
    PlanEndpoint planEndpoint(ControllerManager manager) {
        return new PlanEndpoint(manager);
    }

    @Bean(destroyMethod = "close")
    HollowCluster hollowCluster(WheelhouseProperties properties, Connection connection, SharedInformerFactory informers,
            EventBroadcaster events, Clock clock, MeterRegistry registry) {
        WheelhouseProperties.Nodes nodes = properties.nodes();
        boolean embedded = connection.embedded() != null;
        int count = nodes.count() != null ? nodes.count() : embedded ? DEFAULT_NODES : 0;
        boolean scheduler = properties.scheduler() != null ? properties.scheduler() : embedded;
        Map<String, String> capacity = Map.of("cpu", nodes.cpu(), "memory", nodes.memory(), "pods",
                String.valueOf(nodes.pods()));
        return new HollowCluster(new HollowCluster.Options(count, nodes.namePrefix(), capacity, scheduler),
                connection.client(),
                informers, events::recorder, SchedulerMetrics.NONE, new WorkQueueMeters(registry), clock);
    }

    @Bean
    ServiceLifecycle serviceLifecycle(Connection connection, ControllerManager manager, HollowCluster cluster,
            SharedInformerFactory informers, EventBroadcaster events, LoopRunner controllerRunner,
            Environment environment, Clock clock) {
        ReadyAnnouncer announcer = new ReadyAnnouncer(connection, manager, cluster,
                () -> environment.getProperty("local.server.port", Integer.class, 0), clock, System.out);
        return new ServiceLifecycle(manager, cluster, informers, events, announcer, controllerRunner);
    }

    private static List<ControllerDescriptor> selected(WheelhouseProperties properties) {
        try {
            return ControllerSelection.select(properties.controllers(), BuiltInControllers.all());
        } catch (IllegalArgumentException e) {
            throw new BadOption(String.valueOf(e.getMessage()));
        }
    }

    private static boolean observeOnly(WheelhouseProperties properties, Connection connection, Clock clock) {
        if (properties.manage() != Manage.AUTO || connection.embedded() != null) {
            return properties.manage() == Manage.OBSERVE;
        }
        try {
            Optional<String> other = OtherManager.alive(connection.client(), clock.now());
            other.ifPresent(who -> log
                    .warn("observing only, and writing nothing: {}. Turn the controllers off there and start with "
                            + "--wheelhouse.manage=takeover", who));
            return other.isPresent();
        } catch (ApiError e) {
            log.warn(
                    "observing only, and writing nothing: it could not be seen whether another controller manager is alive ({}). "
                            + "Start with --wheelhouse.manage=takeover if there is none",
                    e.getMessage());
            return true;
        }
    }
}
