package dev.wheelhouse.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.Shards;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/** Health and endpoints, if the application has the actuator. */
@AutoConfiguration(after = WheelhouseAutoConfiguration.class)
@ConditionalOnBean(ServiceLifecycle.class)
class ActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class HealthOfCaches {
        @Bean
        CachesHealthIndicator cachesHealthIndicator(ControllerManager manager, ObjectProvider<InformerStates> informers,
                ServedWebhooks webhooks, Clock clock) {
            return new CachesHealthIndicator(() -> manager.isRunning() && webhooks.isReady(),
                    () -> manager.isReady() && webhooks.isReady(), () -> webhooks.waitingFor(manager.waitingFor()),
                    informers.orderedStream().toList(), clock);
        }

        @Bean
        ControllersHealthIndicator controllersHealthIndicator(ControllerManager manager, Shards shards) {
            return new ControllersHealthIndicator(manager, shards);
        }

        @Bean
        LoopsHealthIndicator loopsHealthIndicator(LoopRunner runner, WheelhouseProperties properties) {
            return new LoopsHealthIndicator(runner, properties.management().stepDeadline());
        }

        /** Out of service while the storage of the embedded API server takes no writes. */
        @Bean
        HealthIndicator storageHealthIndicator(ApiServerConnection connection) {
            return () -> {
                String problem = connection.storageProblem();
                return problem == null
                        ? Health.up().build()
                        : Health.outOfService().withDetail("reason", "writes are refused: " + problem).build();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    static class Endpoints {
        @Bean
        @ConditionalOnAvailableEndpoint
        InformersEndpoint informersEndpoint(ObjectProvider<InformerStates> informers, Clock clock) {
            return new InformersEndpoint(informers.orderedStream().toList(), clock);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        JournalEndpoint journalEndpoint(Journal journal) {
            return new JournalEndpoint(journal);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        PlanEndpoint planEndpoint(ControllerManager manager) {
            return new PlanEndpoint(manager);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        PodSourcesEndpoint podSourcesEndpoint(HollowCluster cluster) {
            return new PodSourcesEndpoint(cluster);
        }
    }
}
