package dev.wheelhouse.spring;

import java.util.Set;

import jakarta.servlet.Filter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

import dev.wheelhouse.console.ClusterHealth;
import dev.wheelhouse.console.ConsoleServlet;
import dev.wheelhouse.console.Parts;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.Clock;

/** The console of a {@link StandaloneService} that has a web server, and the guard before it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "wheelhouse.console.enabled", matchIfMissing = true)
class ConsoleConfiguration {
    /** The pattern of the path {@code /} alone. */
    private static final String ROOT = "";

    /** The filter before the console. */
    @Bean
    FilterRegistrationBean<Filter> consoleGuard(ObjectProvider<WheelhouseProperties> properties,
            ObjectProvider<ApiServerConnection> connections, ObjectProvider<OwnerToken> owner, Clock clock) {
        return ManagementGuard.registration("console-guard", ConsoleServlet.PATH + "/*", ConsoleServlet.PATH,
                Set.of("page"), properties, connections, owner::getIfAvailable, clock);
    }

    @Bean(destroyMethod = "close")
    ConsoleServlet wheelhouseConsole(WheelhouseProperties properties, ControllerManager manager,
            ObjectProvider<InformerStates> informers, SharedInformerFactory caches, Journal journal,
            ClusterHealth health, HollowCluster cluster, ApiServerConnection connection, Clock clock) {
        boolean embedded = connection.embedded() != null;
        Boolean writable = properties.console().writable();
        return new ConsoleServlet(new Parts(manager,
                () -> informers.orderedStream().flatMap(source -> source.states().stream()).toList(), caches,
                health, journal, cluster::nodes, connection.client(), connection.api(), clock,
                connection::storageProblem, embedded,
                writable == null ? embedded : writable));
    }

    @Bean
    ServletRegistrationBean<ConsoleServlet> consoleRegistration(ConsoleServlet console) {
        ServletRegistrationBean<ConsoleServlet> registration = new ServletRegistrationBean<>(console, ROOT,
                ConsoleServlet.PATH + "/*");
        registration.setName("console");
        return registration;
    }

    /** Ends the open streams when the context closes, because they would delay the stop of the web server. */
    @Bean
    ApplicationListener<ContextClosedEvent> consoleEnd(ConsoleServlet console) {
        return new EndOfStreams(console);
    }

    /** A class and not a lambda, because Spring reads the type of the event from the class. */
    private record EndOfStreams(ConsoleServlet console) implements ApplicationListener<ContextClosedEvent> {
        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            console.close();
        }
    }
}
