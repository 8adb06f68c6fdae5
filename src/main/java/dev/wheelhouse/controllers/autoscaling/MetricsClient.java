package dev.wheelhouse.controllers.autoscaling;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V2CrossVersionObjectReference;

import dev.wheelhouse.api.LabelSelector;

/**
 * Reads metrics (upstream: {@code metrics/client.go}). Every call blocks until the answer or a deadline, and throws
 * {@link MetricsException} if there is no metric. Values are thousandths. Thread safe.
 */
interface MetricsClient {
    /**
     * The usage of a resource, by the name of the pod. A pod without the metric is missing.
     *
     * @param container the container that is meant; null for all containers of a pod
     */
    Map<String, PodMetric> resource(String namespace, LabelSelector pods, String resource, @Nullable String container);

    /** A metric of pods, by the name of the pod. */
    Map<String, PodMetric> ofPods(String namespace, LabelSelector pods, String metric, LabelSelector metricSelector);

    /** A metric of one object. */
    long ofObject(String namespace, V2CrossVersionObjectReference object, String metric, LabelSelector metricSelector);

    /** All values of a metric that belongs to no object. */
    List<Long> external(String namespace, String metric, LabelSelector metricSelector);
}
