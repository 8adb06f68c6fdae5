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
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

import dev.wheelhouse.apiserver.ManagementProtocol;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;

/**
 * Puts the {@link ManagementGuard} before the actuator, also if that has a port of its own ({@code
 * management.server.port}). Other applications protect their actuators by themselves.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBean(ServiceConfiguration.class)
class ManagementGuardConfiguration {

    /** The first request makes the guard, because the guard needs the API server, which starts after the web server. */
    @Bean
    FilterRegistrationBean<Filter> managementGuard(WebEndpointProperties endpoints,
            ObjectProvider<WheelhouseProperties> properties, ObjectProvider<ApiServerConnection> connections,
            Clock clock) {
        String base = endpoints.getBasePath();
        SingletonSupplier<ManagementGuard> guard = SingletonSupplier.of(() -> {
            ApiServerConnection connection = connections.getObject();
            return new ManagementGuard(base.equals("/") ? "" : base, ManagementGuard.ACTUATOR_FOR_ALL,
                    connection.isOpenToLoopback(),
                    properties.getObject().management().hosts(), Host.name(),
                    new DelegatedAuth(connection.api(), clock, DelegatedAuth.PATIENCE));
        });
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
                (request, response, chain) -> guard.obtain().doFilter(request, response, chain));
        registration.setName("management-guard");
        registration.addUrlPatterns("/*");
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }

    /** Bounds the connections of the port, because unauthenticated clients can reach it. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> managementProtocol() {
        return factory -> factory.setProtocol(ManagementProtocol.class.getName());
    }
}
