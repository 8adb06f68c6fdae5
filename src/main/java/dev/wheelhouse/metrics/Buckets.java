package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.stream.DoubleStream;

/** The upper bounds of histograms' buckets. */
final class Buckets {
    private Buckets() {}

    /** Bounds in seconds, as Micrometer's timers want them. */
    static Duration[] seconds(double... bounds) {
        return DoubleStream.of(bounds).mapToObj(bound -> Duration.ofNanos(Math.round(bound * 1e9)))
                .toArray(Duration[]::new);
    }
}
