package dev.wheelhouse.controller;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * A metric that one controller has by upstream's name, with upstream's labels and buckets.
 *
 * @param name the name in Prometheus, such as {@code job_controller_jobs_finished_total}
 * @param help what is counted or measured, and its unit
 * @param labels the names of the labels, in the order of their values in {@link ControllerMetrics#record}
 * @param buckets the upper bounds of a histogram's buckets; empty for a counter
 */
public record Measure(String name, String help, List<String> labels, List<Double> buckets) {
    /** A counter. Its name ends with {@code _total}. */
    public static Measure counter(String name, String help, String... labels) {
        return new Measure(name, help, List.of(labels), List.of());
    }

    /** A histogram whose buckets begin with {@code first} and double. */
    public static Measure histogram(String name, String help, double first, int buckets, String... labels) {
        return new Measure(name, help, List.of(labels),
                DoubleStream.iterate(first, bound -> 2 * bound).limit(buckets).boxed().toList());
    }

    public boolean isCounter() {
        return buckets.isEmpty();
    }
}
