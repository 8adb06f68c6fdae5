package dev.wheelhouse.controllers.autoscaling;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V2CrossVersionObjectReference;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ResourceMapper;
import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Reads the metrics APIs of an API server: {@code metrics.k8s.io}, {@code custom.metrics.k8s.io} in the version that
 * the server prefers, and {@code external.metrics.k8s.io} (upstream: {@code metrics/client.go},
 * {@code k8s.io/metrics}). Every call blocks until the answer or the client's deadline, and throws
 * {@link MetricsException} if there is no metric. Values are thousandths. Thread safe.
 */
final class ApiMetrics {
    private static final String RESOURCE = "metrics.k8s.io";
    private static final String CUSTOM = "custom.metrics.k8s.io";
    private static final String EXTERNAL = "external.metrics.k8s.io";
    private static final Set<String> CUSTOM_VERSIONS = Set.of("v1beta1", "v1beta2");
    private static final Duration CUSTOM_VERSION_AGE = Duration.ofSeconds(15);
    private static final long CUSTOM_WINDOW_SECONDS = 60;

    private final KubeClient client;
    private final ResourceMapper mapper;
    private final Clock clock;
    private volatile @Nullable CustomVersion customVersion;

    /** The version of the custom metrics that the server prefers, and when that was read. */
    private record CustomVersion(String version, long readAt) {}

    ApiMetrics(KubeClient client, ResourceMapper mapper, Clock clock) {
        this.client = client;
        this.mapper = mapper;
        this.clock = clock;
    }

    /**
     * The usage of a resource, by the name of the pod. A pod without the metric is missing.
     *
     * @param container the container that is meant; null for all containers of a pod
     */
    Map<String, PodMetric> resource(String namespace, LabelSelector pods, String resource,
            @Nullable String container) {
        JsonNode items = items("resource", "/apis/" + RESOURCE + "/v1beta1/namespaces/" + namespace + "/pods",
                query(pods, null), "pods." + RESOURCE);
        Map<String, PodMetric> metrics = new HashMap<>();
        for (JsonNode pod : items) {
            Long usage = usage(pod.path("containers"), resource, container);
            if (usage != null) {
                Duration window = Durations.parse(pod.path("window").asString(""));
                metrics.put(pod.path("metadata").path("name").asString(""),
                        new PodMetric(time(pod), Objects.requireNonNullElse(window, Duration.ZERO), usage));
            }
        }
        return metrics;
    }

    /** The usage of one container or of all; null if it is not known of one of those. */
    private static @Nullable Long usage(JsonNode containers, String resource, @Nullable String container) {
        Long sum = null;
        for (JsonNode each : containers) {
            if (container == null || container.equals(each.path("name").asString(""))) {
                BigDecimal usage = Quantities.parse(each.path("usage").path(resource).asString(""));
                if (usage == null) {
                    return null;
                }
                sum = orZero(sum) + Quantities.milli(usage);
            }
        }
        return sum;
    }

    /** A metric of pods, by the name of the pod. */
    Map<String, PodMetric> ofPods(String namespace, LabelSelector pods, String metric,
            LabelSelector metricSelector) {
        JsonNode items = items("custom", custom(namespace) + "/pods/*/" + metric, query(pods, metricSelector),
                "pods." + CUSTOM + " *");
        Map<String, PodMetric> metrics = new HashMap<>();
        for (JsonNode item : items) {
            long window = item.path("windowSeconds").asLong(item.path("window").asLong(CUSTOM_WINDOW_SECONDS));
            metrics.put(item.path("describedObject").path("name").asString(""),
                    new PodMetric(time(item), Duration.ofSeconds(window), value(item)));
        }
        return metrics;
    }

    /** A metric of one object. */
    long ofObject(String namespace, V2CrossVersionObjectReference object, String metric,
            LabelSelector metricSelector) {
        String version = orEmpty(object.getApiVersion());
        boolean ofNamespace = object.getKind().equals("Namespace") && !version.contains("/");
        String root = custom(namespace);
        String resource = ofNamespace ? "metrics" : resource(version, object.getKind());
        String name = ofNamespace ? metric : object.getName();
        JsonNode list = read("custom", root + "/" + resource + "/" + name + (ofNamespace ? "" : "/" + metric),
                query(null, metricSelector), resource + "." + CUSTOM + " " + name);
        int found = list.path("items").size();
        if (found != 1) {
            throw new MetricsException("unable to fetch metrics from custom metrics API: the custom metrics API server "
                    + "returned " + found + " results when we asked for exactly one");
        }
        return value(list.path("items").path(0));
    }

    private String resource(String apiVersion, String kind) {
        try {
            return mapper.of(apiVersion, kind).groupResource();
        } catch (KubeApiException e) {
            int slash = apiVersion.indexOf('/');
            throw new MetricsException("unable to fetch metrics from custom metrics API: unable to map kind " + kind
                    + (slash < 0 ? "" : "." + apiVersion.substring(0, slash)) + " to resource: " + e.statusMessage());
        }
    }

    /** The path of the custom metrics in a namespace. */
    private String custom(String namespace) {
        CustomVersion known = customVersion;
        if (known == null || clock.nanoTime() - known.readAt >= CUSTOM_VERSION_AGE.toNanos()) {
            known = new CustomVersion(readCustomVersion(), clock.nanoTime());
            customVersion = known;
        }
        return "/apis/" + CUSTOM + "/" + known.version + "/namespaces/" + namespace;
    }

    private String readCustomVersion() {
        JsonNode group;
        try {
            group = client.read("/apis/" + CUSTOM, Map.of());
        } catch (KubeApiException e) {
            throw new MetricsException("unable to fetch metrics from custom metrics API: " + (e.isNotFound()
                    ? "no custom metrics API (" + CUSTOM + ") registered"
                    : e.statusMessage()));
        }
        List<String> versions = new ArrayList<>();
        versions.add(group.path("preferredVersion").path("version").asString(""));
        group.path("versions").forEach(version -> versions.add(version.path("version").asString("")));
        return versions.stream().filter(CUSTOM_VERSIONS::contains).findFirst()
                .orElseThrow(() -> new MetricsException("unable to fetch metrics from custom metrics API: no known "
                        + "available metric versions found"));
    }

    /** All values of a metric that belongs to no object. */
    List<Long> external(String namespace, String metric, LabelSelector metricSelector) {
        List<Long> values = new ArrayList<>();
        items("external", "/apis/" + EXTERNAL + "/v1beta1/namespaces/" + namespace + "/" + metric,
                query(metricSelector, null), metric + "." + EXTERNAL).forEach(item -> values.add(value(item)));
        return values;
    }

    private static Map<String, String> query(@Nullable LabelSelector labels, @Nullable LabelSelector metricLabels) {
        Map<String, String> query = new LinkedHashMap<>();
        if (labels != null && !labels.toString().isEmpty()) {
            query.put("labelSelector", labels.toString());
        }
        if (metricLabels != null && !metricLabels.toString().isEmpty()) {
            query.put("metricLabelSelector", metricLabels.toString());
        }
        return query;
    }

    private JsonNode items(String api, String path, Map<String, String> query, String resource) {
        JsonNode items = read(api, path, query, resource).path("items");
        if (items.isEmpty()) {
            throw new MetricsException("no metrics returned from " + api + " metrics API");
        }
        return items;
    }

    /** @param resource the resource and perhaps the name, as messages of client-go have them */
    private JsonNode read(String api, String path, Map<String, String> query, String resource) {
        try {
            return client.read(path, query);
        } catch (KubeApiException e) {
            throw new MetricsException("unable to fetch metrics from " + api + " metrics API: " + message(e, resource));
        }
    }

    /** The server's message. A server without the API answers with a text of its own, which client-go replaces. */
    private static String message(KubeApiException error, String resource) {
        return switch (error.statusMessage()) {
            case "404 page not found" -> "the server could not find the requested resource (get " + resource + ")";
            case "service unavailable" -> "the server is currently unable to handle the request (get " + resource + ")";
            default -> error.statusMessage();
        };
    }

    private static Instant time(JsonNode item) {
        try {
            return Instant.parse(item.path("timestamp").asString(""));
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }

    private static long value(JsonNode item) {
        BigDecimal value = Quantities.parse(item.path("value").asString(""));
        return value == null ? 0 : Quantities.milli(value);
    }
}
