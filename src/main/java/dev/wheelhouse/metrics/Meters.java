package dev.wheelhouse.metrics;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.manager.Metrics;
import dev.wheelhouse.runtime.Clock;

/** Metrics that Micrometer collects. */
public final class Meters {
    private Meters() {}

    /** Registers the metrics of one process. */
    public static Metrics of(MeterRegistry registry, Clock clock) {
        return new Metrics(new InformerMeters(registry, clock), new WorkQueueMeters(registry),
                new ControllerMeters(registry), new EventMeters(registry), new HttpMeters(registry),
                lease -> new ElectionMeters(lease, registry));
    }
}
