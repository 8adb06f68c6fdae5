package dev.wheelhouse.controller;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * A metric that one controller has by upstream's name, with upstream's labels and buckets.
 *
 * @param name the name in Prometheus, such as {@code job_controller_jobs_finished_total}
 * @param help what is counted or measured, and its unit
 * @param labels the names of the labels, in the order of their values in {@link ControllerMetrics#record}
 * @param buckets the upper bounds of a histogram's buckets; empty for other kinds
 */
public record Measure(Kind kind, String name, String help, List<String> labels, List<Double> buckets) {
    /** The meaning of a recorded value. */
    public enum Kind {
        /** The value is added. */
        COUNTER,
        /** The value replaces the last one. */
        GAUGE,
        /** The value counts in its bucket. */
        HISTOGRAM
    }

    /** A counter. Its name ends with {@code _total}. */
    public static Measure counter(String name, String help, String... labels) {
        return new Measure(Kind.COUNTER, name, help, List.of(labels), List.of());
    }

    /** The counter of a controller's syncs that wait until a cache shows the key's own writes. */
    public static Measure staleSyncs(String kind) {
        return counter(kind + "_controller_stale_sync_skips_total",
                "Syncs delayed because a cache does not show the key's own writes", "group", "resource");
    }

    public static Measure gauge(String name, String help, String... labels) {
        return new Measure(Kind.GAUGE, name, help, List.of(labels), List.of());
    }

    /** A histogram whose buckets begin with {@code first} and double. */
    public static Measure histogram(String name, String help, double first, int buckets, String... labels) {
        return new Measure(Kind.HISTOGRAM, name, help, List.of(labels),
                DoubleStream.iterate(first, bound -> 2 * bound).limit(buckets).boxed().toList());
    }
}
