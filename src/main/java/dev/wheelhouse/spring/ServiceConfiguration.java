package dev.wheelhouse.spring;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.Clock;

/** The beans that only a {@link StandaloneService} has. */
@Configuration(proxyBeanMethods = false)
class ServiceConfiguration {

    @Bean
    ReadyAnnouncer readyAnnouncer(ApiServerConnection connection, ControllerManager manager, HollowCluster cluster,
            Environment environment, Clock clock) {
        return new ReadyAnnouncer(connection, manager, cluster,
                () -> environment.getProperty("local.server.port", Integer.class, 0), clock, System.out);
    }
}
