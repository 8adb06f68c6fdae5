package dev.wheelhouse.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.AbstractApplicationContext;
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

    /** Tells kubectl that it asks the wrong port, if the service has a web server. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OnTheHealthPort {
        @Bean
        ServletRegistrationBean<NotTheApiServer> notTheApiServer(ObjectProvider<ApiServerConnection> connections) {
            return new ServletRegistrationBean<>(new NotTheApiServer(connections), NotTheApiServer.PATHS);
        }
    }

    @Bean(AbstractApplicationContext.MESSAGE_SOURCE_BEAN_NAME)
    MessageSource messageSource() {
        return new UntranslatedMessages();
    }

    @Bean
    ShutdownMessage farewell(ApiServerConnection connection) {
        return new ShutdownMessage(connection, System.out);
    }

    @Bean
    OwnerToken ownerToken() {
        return new OwnerToken();
    }

    @Bean
    ReadyAnnouncer readyAnnouncer(ApiServerConnection connection, ControllerManager manager, HollowCluster cluster,
            Environment environment, ObjectProvider<ServerProperties> web, OwnerToken owner, Clock clock) {
        ServerProperties server = web.getIfAvailable();
        String scheme = server != null && Ssl.isEnabled(server.getSsl()) ? "https" : "http";
        return new ReadyAnnouncer(connection, manager, cluster, scheme,
                () -> environment.getProperty("local.server.port", Integer.class, 0),
                environment.getProperty("wheelhouse.console.enabled", Boolean.class, true), owner, clock,
                System.out);
    }
}
