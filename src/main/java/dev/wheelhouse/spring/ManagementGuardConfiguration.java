package dev.wheelhouse.spring;

import jakarta.servlet.Filter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

import dev.wheelhouse.runtime.Clock;

/** Puts the guard before the actuator, on the service's own port and on one of its own ({@code management.server.port}). */
@ManagementContextConfiguration(proxyBeanMethods = false)
class ManagementGuardConfiguration {

    /** The rules are looked up by the first request, so that the API server is not started earlier because of them. */
    @Bean
    FilterRegistrationBean<Filter> managementGuard(WebEndpointProperties endpoints,
            ObjectProvider<WheelhouseProperties> properties, ObjectProvider<Connection> connections, Clock clock) {
        String base = endpoints.getBasePath();
        SingletonSupplier<ManagementGuard> guard = SingletonSupplier.of(() -> {
            Connection connection = connections.getObject();
            return new ManagementGuard(base.equals("/") ? "" : base, connection.isOpenToLoopback(),
                    properties.getObject().management().hosts(), ConfiguredNodes.hostName(),
                    new DelegatedAuth(connection.api(), clock, DelegatedAuth.PATIENCE));
        });
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
                (request, response, chain) -> guard.obtain().doFilter(request, response, chain));
        registration.setName("management-guard");
        registration.addUrlPatterns("/*");
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }
}
