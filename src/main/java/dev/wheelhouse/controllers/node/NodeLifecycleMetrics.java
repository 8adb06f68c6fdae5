package dev.wheelhouse.controllers.node;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;

import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;

/** The metrics of the node lifecycle controller (upstream: {@code pkg/controller/nodelifecycle/metrics.go}). */
final class NodeLifecycleMetrics {
    private static final Measure SIZE = Measure.gauge("node_collector_zone_size", "Nodes in a zone", "zone");
    private static final Measure HEALTH = Measure.gauge("node_collector_zone_health",
            "Percentage of the nodes in a zone that are ready", "zone");
    private static final Measure UNHEALTHY = Measure.gauge("node_collector_unhealthy_nodes_in_zone",
            "Nodes in a zone that are not ready", "zone");
    private static final Measure EVICTIONS = Measure.counter("node_collector_evictions_total",
            "Nodes that got a taint which evicts their pods", "zone");
    private static final Measure NODE = seconds("node_collector_update_node_health_duration_seconds",
            "Duration of the look at one node in seconds", 0.001);
    private static final Measure ALL = seconds("node_collector_update_all_nodes_health_duration_seconds",
            "Duration of the look at all nodes in seconds", 0.01);

    private final ControllerMetrics metrics;
    private final Set<String> zones = new HashSet<>();

    NodeLifecycleMetrics(ControllerMetrics metrics) {
        this.metrics = metrics;
    }

    /** A histogram with eight buckets, each four times as wide as the one before. */
    private static Measure seconds(String name, String help, double first) {
        return new Measure(Measure.Kind.HISTOGRAM, name, help, List.of(),
                DoubleStream.iterate(first, bound -> 4 * bound).limit(8).boxed().toList());
    }

    void sizes(Map<String, ZoneStates.Size> sizes) {
        sizes.forEach((zone, size) -> sizes(zone, size.all(), 100.0 * size.ready() / size.all(), size.notReady()));
        zones.stream().filter(zone -> !sizes.containsKey(zone)).forEach(zone -> sizes(zone, 0, 100, 0));
        zones.addAll(sizes.keySet());
    }

    private void sizes(String zone, int all, double percentage, int notReady) {
        metrics.record(SIZE, all, zone);
        metrics.record(HEALTH, percentage, zone);
        metrics.record(UNHEALTHY, notReady, zone);
    }

    void evicted(String zone) {
        metrics.record(EVICTIONS, 1, zone);
    }

    void looked(long nanos) {
        metrics.record(NODE, nanos / 1e9);
    }

    void lookedAtAll(long nanos) {
        metrics.record(ALL, nanos / 1e9);
    }
}
