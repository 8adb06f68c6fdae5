package dev.wheelhouse.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.event.EventMetrics;

/** The event broadcaster's metrics in Micrometer. */
final class EventMeters implements EventMetrics {
    private final MeterRegistry registry;

    EventMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void written(String component) {
        Counter.builder("events.written").description("Kubernetes Events written").tag("component", component)
                .register(registry)
                .increment();
    }

    @Override
    public void dropped(String component, String why) {
        Counter.builder("events.dropped").description("Kubernetes Events dropped, by reason")
                .tag("component", component)
                .tag("why", why).register(registry).increment();
    }
}
