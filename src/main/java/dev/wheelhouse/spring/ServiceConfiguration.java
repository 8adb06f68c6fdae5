package dev.wheelhouse.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import io.micrometer.core.instrument.binder.MeterBinder;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.Clock;

/** The beans that only a {@link StandaloneService} has. */
@Configuration(proxyBeanMethods = false)
class ServiceConfiguration {

    /** The metrics of the process, if the application has Micrometer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class OfTheProcess {
        @Bean
        ProcessMeters processMeters() {
            return new ProcessMeters();
        }
    }

    @Bean
    ReadyAnnouncer readyAnnouncer(ApiServerConnection connection, ControllerManager manager, HollowCluster cluster,
            Environment environment, Clock clock) {
        return new ReadyAnnouncer(connection, manager, cluster,
                () -> environment.getProperty("local.server.port", Integer.class, 0),
                environment.getProperty("wheelhouse.console.enabled", Boolean.class, true), clock, System.out);
    }
}
