package dev.wheelhouse.meters;

import java.time.Duration;
import java.util.stream.DoubleStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Registries and bounds of meters. */
public final class Meters {
    /** A registry whose meters count nothing and are not kept. */
    public static final MeterRegistry NONE = none();

    private Meters() {}

    private static MeterRegistry none() {
        MeterRegistry registry = new SimpleMeterRegistry();
        registry.config().meterFilter(MeterFilter.deny());
        return registry;
    }

    /** The upper bounds of a timer's buckets, in seconds. */
    public static Duration[] seconds(double... bounds) {
        return DoubleStream.of(bounds).mapToObj(bound -> Duration.ofNanos(Math.round(bound * 1e9)))
                .toArray(Duration[]::new);
    }
}
