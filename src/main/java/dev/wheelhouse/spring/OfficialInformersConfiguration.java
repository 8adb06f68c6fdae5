package dev.wheelhouse.spring;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;

import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.spring.client.WheelhouseInformerFactory;

/** The official client's informer factory on this project's informers, which it starts and stops. */
@AutoConfiguration(after = WheelhouseAutoConfiguration.class, beforeName = OfficialInformersConfiguration.INTEGRATION)
@ConditionalOnBean(ServiceLifecycle.class)
class OfficialInformersConfiguration {
    /** The configuration of the official integration. Its client and factory give way to the beans of this project. */
    static final String INTEGRATION = "io.kubernetes.client.spring.extended.controller.config"
            + ".KubernetesInformerAutoConfiguration";

    /**
     * The factory, under the bean name that the integration looks up. Its caches are not shared with the service's
     * controllers, so users may set transforms.
     */
    @Bean(name = "sharedInformerFactory", destroyMethod = "close")
    @ConditionalOnMissingBean(SharedInformerFactory.class)
    WheelhouseInformerFactory officialInformerFactory(WheelhouseProperties properties, ApiClient api,
            KubeClient client, Clock clock, ControllerMetrics metrics) {
        // The official client may write these objects, and would not put a dropped annotation back.
        InformerOptions options = properties.informer().options().toBuilder().dropLastApplied(false).build();
        return new WheelhouseInformerFactory(api, client, clock, metrics.registry(), options);
    }

    /**
     * The states of these caches, for the endpoint and for readiness, which depends on them as on the service's own.
     */
    @Bean
    InformerStates officialInformerStates(ObjectProvider<WheelhouseInformerFactory> factories) {
        return () -> factories.orderedStream().flatMap(factory -> factory.states().stream()).toList();
    }

    /** Starts the informers before the controllers, and stops them after these. */
    @Bean
    OfficialInformers officialInformers(ObjectProvider<SharedInformerFactory> factories,
            ApiServerConnection connection) {
        return new OfficialInformers(connection.absent() == null ? factories.orderedStream().toList() : List.of());
    }

    static final class OfficialInformers implements SmartLifecycle {
        private final List<SharedInformerFactory> factories;
        private volatile boolean running;

        OfficialInformers(List<SharedInformerFactory> factories) {
            this.factories = factories;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 1;
        }

        @Override
        public boolean isPauseable() {
            return false;
        }

        @Override
        public void start() {
            running = true;
            factories.forEach(SharedInformerFactory::startAllRegisteredInformers);
        }

        @Override
        public void stop() {
            factories.forEach(SharedInformerFactory::stopAllRegisteredInformers);
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
