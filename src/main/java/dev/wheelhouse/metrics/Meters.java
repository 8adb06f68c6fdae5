package dev.wheelhouse.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.election.ElectionListener;
import dev.wheelhouse.manager.Metrics;
import dev.wheelhouse.runtime.Clock;

/** Metrics that Micrometer collects. */
public final class Meters {
    private Meters() {}

    /** Registers the metrics of one process. */
    public static Metrics of(MeterRegistry registry, Clock clock) {
        return of(registry, clock, ObservationRegistry.NOOP);
    }

    /**
     * Registers the metrics of one process.
     * @param traces gets an observation {@code wheelhouse.sync} for each sync, with its writes as children
     */
    public static Metrics of(MeterRegistry registry, Clock clock, ObservationRegistry traces) {
        Map<String, ElectionListener> elections = new ConcurrentHashMap<>();
        return new Metrics(new InformerMeters(registry, clock), new WorkQueueMeters(registry),
                new ControllerMeters(registry, traces), new EventMeters(registry), new HttpMeters(registry, clock),
                lease -> elections.computeIfAbsent(lease, name -> new ElectionMeters(name, registry)));
    }
}
