package dev.wheelhouse.metrics;

import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.event.EventMetrics;

/** The event broadcaster's metrics in Micrometer. */
final class EventMeters implements EventMetrics {
    private final MeterRegistry registry;
    private final ConcurrentHashMap<String, Counter> written = new ConcurrentHashMap<>();

    EventMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void written(String component) {
        written.computeIfAbsent(component, name -> Counter.builder("events.written")
                .description("Kubernetes Events written").tag("component", name).register(registry)).increment();
    }

    @Override
    public void dropped(String component, String why) {
        Counter.builder("events.dropped").description("Kubernetes Events dropped, by reason")
                .tag("component", component)
                .tag("why", why).register(registry).increment();
    }
}
