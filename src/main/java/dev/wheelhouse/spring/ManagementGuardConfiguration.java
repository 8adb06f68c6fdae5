package dev.wheelhouse.spring;

import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

import dev.wheelhouse.runtime.Clock;

/** Puts the guard before the actuator, on the service's own port and on one of its own ({@code management.server.port}). */
@ManagementContextConfiguration(proxyBeanMethods = false)
class ManagementGuardConfiguration {

    @Bean
    FilterRegistrationBean<ManagementGuard> managementGuard(WebEndpointProperties endpoints,
            WheelhouseProperties properties, Connection connection, Clock clock) {
        String base = endpoints.getBasePath();
        FilterRegistrationBean<ManagementGuard> registration = new FilterRegistrationBean<>(
                new ManagementGuard(base.equals("/") ? "" : base, connection.isOpenToLoopback(),
                        properties.management().hosts(), Nodes.hostName(), new Reviews(connection.api(), clock)));
        registration.addUrlPatterns("/*");
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }
}
