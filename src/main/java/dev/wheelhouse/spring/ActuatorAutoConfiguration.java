package dev.wheelhouse.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.wheelhouse.console.ClusterHealth;
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

    /**
     * The health of the caches and controllers. A bean's name is the name of its health component. If the application
     * has a bean of that name, the application's bean counts.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class HealthOfCaches {
        @Bean
        @ConditionalOnMissingBean(name = "cachesHealthIndicator")
        CachesHealthIndicator cachesHealthIndicator(ControllerManager manager, ObjectProvider<InformerStates> informers,
                ServedWebhooks webhooks, Clock clock) {
            return new CachesHealthIndicator(() -> manager.isRunning() && manager.isReady() && webhooks.isReady(),
                    () -> manager.isReady() && webhooks.isReady(), () -> webhooks.waitingFor(manager.waitingFor()),
                    informers.orderedStream().toList(), clock);
        }

        @Bean
        @ConditionalOnMissingBean(name = "controllersHealthIndicator")
        ControllersHealthIndicator controllersHealthIndicator(ControllerManager manager, Shards shards) {
            return new ControllersHealthIndicator(manager, shards);
        }

        @Bean
        @ConditionalOnMissingBean(name = "loopsHealthIndicator")
        LoopsHealthIndicator loopsHealthIndicator(LoopRunner runner, WheelhouseProperties properties) {
            return new LoopsHealthIndicator(runner, properties.management().stepDeadline());
        }

        /** The health of the embedded API server's storage: out of service while the storage takes no writes. */
        @Bean
        @ConditionalOnMissingBean(name = "storageHealthIndicator")
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
        InformersEndpoint wheelhouseInformersEndpoint(ObjectProvider<InformerStates> informers, Clock clock) {
            return new InformersEndpoint(informers.orderedStream().toList(), clock);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        JournalEndpoint wheelhouseJournalEndpoint(Journal journal) {
            return new JournalEndpoint(journal);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        PlanEndpoint wheelhousePlanEndpoint(ControllerManager manager) {
            return new PlanEndpoint(manager);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        ProblemsEndpoint wheelhouseProblemsEndpoint(ClusterHealth health) {
            return new ProblemsEndpoint(health);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        PodSourcesEndpoint wheelhousePodSourcesEndpoint(HollowCluster cluster) {
            return new PodSourcesEndpoint(cluster);
        }
    }
}
