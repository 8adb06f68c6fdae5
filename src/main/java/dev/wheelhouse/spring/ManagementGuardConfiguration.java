package dev.wheelhouse.spring;

import jakarta.servlet.Filter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

import dev.wheelhouse.apiserver.ManagementProtocol;
import dev.wheelhouse.runtime.Clock;

/**
 * Puts the {@link ManagementGuard} before the actuator, also if that has a port of its own ({@code
 * management.server.port}). Other applications protect their actuators by themselves.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBean(ServiceConfiguration.class)
class ManagementGuardConfiguration {
    /** The filter before the actuator. */
    @Bean
    FilterRegistrationBean<Filter> managementGuard(WebEndpointProperties endpoints,
            ObjectProvider<WheelhouseProperties> properties, ObjectProvider<ApiServerConnection> connections,
            Clock clock) {
        String base = endpoints.getBasePath();
        return ManagementGuard.registration("management-guard", "/*", base.equals("/") ? "" : base,
                ManagementGuard.ACTUATOR_FOR_ALL, properties, connections, () -> null, clock);
    }

    /** Bounds the connections of the port, because unauthenticated clients can reach it. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> managementProtocol() {
        return factory -> factory.setProtocol(ManagementProtocol.class.getName());
    }
}
