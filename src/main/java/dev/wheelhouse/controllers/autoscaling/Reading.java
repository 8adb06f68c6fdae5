package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V2ContainerResourceMetricSource;
import io.kubernetes.client.openapi.models.V2ExternalMetricSource;
import io.kubernetes.client.openapi.models.V2MetricSpec;
import io.kubernetes.client.openapi.models.V2ObjectMetricSource;
import io.kubernetes.client.openapi.models.V2PodsMetricSource;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.runtime.Clock;

/** The answer to the question for one metric of an autoscaler. */
sealed interface Reading {
    Duration MOST_TIME = Duration.ofMinutes(1);

    /** A metric of each pod, by the pod's name. */
    record OfPods(Map<String, PodMetric> metrics) implements Reading {}

    /** Values in thousandths that belong to no pod. */
    record Values(List<Long> milli) implements Reading {}

    record Failed(String message) implements Reading {}

    /**
     * Reads all metrics of an autoscaler. Those that are not begun within a minute have failed, so that no autoscaler
     * keeps a worker for long, however many metrics it has and however slow they are.
     *
     * @param nanos receives how long each took
     */
    static List<Reading> of(List<V2MetricSpec> specs, String namespace, LabelSelector pods, ApiMetrics client,
            Clock clock, List<Long> nanos) {
        List<Reading> readings = new ArrayList<>();
        long began = clock.nanoTime();
        for (V2MetricSpec spec : specs) {
            long start = clock.nanoTime();
            readings.add(start - began < MOST_TIME.toNanos()
                    ? of(spec, namespace, pods, client)
                    : new Failed("the metrics before it took more than " + MOST_TIME.toSeconds() + " s: look at the "
                            + "metrics API, or give the autoscaler fewer metrics than " + specs.size()));
            nanos.add(clock.nanoTime() - start);
        }
        return readings;
    }

    private static Reading of(V2MetricSpec spec, String namespace, LabelSelector pods, ApiMetrics client) {
        try {
            return switch (spec.getType()) {
                case "Resource" -> new OfPods(client.resource(namespace, pods, spec.getResource().getName(), null));
                case "ContainerResource" -> {
                    V2ContainerResourceMetricSource source = spec.getContainerResource();
                    yield new OfPods(client.resource(namespace, pods, source.getName(), source.getContainer()));
                }
                case "Pods" -> {
                    V2PodsMetricSource source = spec.getPods();
                    yield new OfPods(client.ofPods(namespace, pods, source.getMetric().getName(),
                            LabelSelector.of(source.getMetric().getSelector())));
                }
                case "Object" -> {
                    V2ObjectMetricSource source = spec.getObject();
                    yield new Values(List.of(client.ofObject(namespace, source.getDescribedObject(),
                            source.getMetric().getName(), LabelSelector.of(source.getMetric().getSelector()))));
                }
                case "External" -> {
                    V2ExternalMetricSource source = spec.getExternal();
                    yield new Values(client.external(namespace, source.getMetric().getName(),
                            LabelSelector.of(source.getMetric().getSelector())));
                }
                default -> new Failed("");
            };
        } catch (MetricsException | IllegalArgumentException e) {
            return new Failed(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The metrics of pods.
     *
     * @param tried the beginning of the message
     * @throws MetricsException if the metric could not be read
     */
    default Map<String, PodMetric> ofPods(String tried) {
        return switch (this) {
            case OfPods pods -> pods.metrics;
            case Values values -> throw new IllegalStateException("a metric of no pod");
            case Failed failed -> throw new MetricsException(tried + failed.message);
        };
    }

    /**
     * The values.
     *
     * @param tried the beginning of the message
     * @throws MetricsException if the metric could not be read
     */
    default List<Long> values(String tried) {
        return switch (this) {
            case OfPods pods -> throw new IllegalStateException("a metric of pods");
            case Values values -> values.milli;
            case Failed failed -> throw new MetricsException(tried + failed.message);
        };
    }
}
