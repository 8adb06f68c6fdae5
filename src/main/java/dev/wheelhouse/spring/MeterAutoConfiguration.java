package dev.wheelhouse.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.manager.Metrics;
import dev.wheelhouse.metrics.Meters;
import dev.wheelhouse.node.NodeMetrics;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.scheduler.SchedulerMetrics;

/** The metrics of all parts, if the application has a Micrometer registry. */
@AutoConfiguration(after = WheelhouseAutoConfiguration.class, afterName = {
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
        "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
        "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"})
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, ServiceLifecycle.class})
class MeterAutoConfiguration {
    private final MeterRegistry registry;

    /** If there are several registries and none is the primary one, each of them gets the metrics. */
    MeterAutoConfiguration(ObjectProvider<MeterRegistry> registries) {
        MeterRegistry unique = registries.getIfUnique();
        this.registry = unique != null
                ? unique
                : new CompositeMeterRegistry(io.micrometer.core.instrument.Clock.SYSTEM,
                        registries.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    Metrics wheelhouseMetrics(Clock clock, WheelhouseProperties properties,
            ObjectProvider<ObservationRegistry> traces) {
        return Meters.of(registry, clock, properties.tracing()
                ? traces.getIfUnique(() -> ObservationRegistry.NOOP)
                : ObservationRegistry.NOOP);
    }

    @Bean
    @ConditionalOnMissingBean
    NodeMetrics wheelhouseNodeMetrics() {
        return new NodeMeters(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    SchedulerMetrics wheelhouseSchedulerMetrics() {
        return new SchedulerMeters(registry);
    }
}
