package dev.wheelhouse.apiserver.metrics;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.Route;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;

/**
 * Answers the requests for metrics of the stored objects (upstream: {@code k8s.io/metrics}; the answers of
 * {@code metrics.k8s.io} are those of metrics-server). Thread safe.
 *
 * @param apis which of the groups are served
 * @param usages of nodes that run containers; the pods of all others have the usage that their annotations say
 */
public record MetricsApis(ObjectStore store, ResourceRegistry registry, RuntimeConfig apis, NodeUsages usages,
        Clock clock) {
    private static final String RESOURCE = "metrics.k8s.io";
    private static final String CUSTOM = "custom.metrics.k8s.io";
    private static final String EXTERNAL = "external.metrics.k8s.io";
    private static final Map<String, String> VERSIONS = Stream.of(RuntimeConfig.RESOURCE_METRICS,
            RuntimeConfig.CUSTOM_METRICS, RuntimeConfig.EXTERNAL_METRICS).map(api -> api.split("/", 2))
            .collect(Collectors.toMap(api -> api[0], api -> api[1]));
    /** Before the name of a metric: the annotation of an object, and that of a Namespace for an external metric. */
    private static final String CUSTOM_PREFIX = "metric.hollow.wheelhouse.dev/";
    private static final String EXTERNAL_PREFIX = "external-metric.hollow.wheelhouse.dev/";

    /** The memory of an item of an answer, roughly. */
    private static final long BYTES_OF_ITEM = 4096;

    /**
     * The resources for discovery. The names of custom and external metrics are not among them, because any object may
     * have any; each of these groups has one resource that stands for all.
     */
    public List<ResourceInfo> resources() {
        return Stream.of(resource(RESOURCE, "nodes", "NodeMetrics", false, Set.of("get", "list")),
                resource(RESOURCE, "pods", "PodMetrics", true, Set.of("get", "list")),
                resource(CUSTOM, "metrics", "MetricValueList", true, Set.of("get")),
                resource(EXTERNAL, "externalmetrics", "ExternalMetricValueList", true, Set.of("get")))
                .filter(resource -> serves(resource.type().group(), resource.type().version())).toList();
    }

    private boolean serves(String group, String version) {
        return version.equals(VERSIONS.get(group)) && apis.serves(group, version, "");
    }

    private static ResourceInfo resource(String group, String plural, String kind, boolean namespaced,
            Set<String> verbs) {
        return new BuiltInResource(new ResourceType(group, VERSIONS.getOrDefault(group, ""), plural, kind, namespaced),
                "", List.of(), List.of(), verbs, List.of());
    }

    /** Whether a path is one of these APIs. */
    public boolean serves(RequestInfo about) {
        return about.isResource() && serves(about.group(), about.version());
    }

    /**
     * Answers an authorized request.
     *
     * @throws StatusException 400, 404, 405
     */
    public ObjectNode answer(ApiRequest request) {
        Route route = request.route();
        if (!request.method().equals("GET") || request.about().verb().equals("watch")) {
            throw Errors.methodNotAllowed();
        }
        Cluster cluster = new Cluster(store, registry, usages, clock.now());
        return switch (request.about().group()) {
            case RESOURCE -> resourceMetrics(route, request, cluster);
            case CUSTOM -> customMetrics(route, request, cluster);
            default -> externalMetrics(route, request, cluster);
        };
    }

    private static LabelSelector labels(ApiRequest request, String parameter) {
        return parsed(LabelSelector::parse, request, parameter);
    }

    private static <T> T parsed(Function<String, T> parser, ApiRequest request, String parameter) {
        try {
            return parser.apply(request.query().get(parameter));
        } catch (IllegalArgumentException e) {
            throw Errors.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static ObjectNode list(String group, String kind) {
        ObjectNode list = Json.object().put("kind", kind).put("apiVersion", group + "/" + VERSIONS.get(group));
        list.putObject("metadata");
        list.putArray("items");
        return list;
    }

    // ---- metrics.k8s.io

    private ObjectNode resourceMetrics(Route route, ApiRequest request, Cluster cluster) {
        String resource = route.parts().getFirst();
        boolean pods = resource.equals("pods");
        String namespace = route.inNamespace() ? route.about().namespace() : "";
        String name = route.parts().size() > 1 ? route.parts().get(1) : "";
        boolean known = pods ? name.isEmpty() || !namespace.isEmpty() : resource.equals("nodes") && namespace.isEmpty();
        if (!known || route.parts().size() > 2) {
            throw Errors.noSuchResource();
        }
        Selection selection = name.isEmpty()
                ? new Selection(namespace, labels(request, "labelSelector"),
                        parsed(FieldSelector::parse, request, "fieldSelector"))
                : new Selection(namespace, LabelSelector.everything(), FieldSelector.of("metadata.name", name));
        ObjectNode list = list(RESOURCE, pods ? "PodMetricsList" : "NodeMetricsList");
        ArrayNode items = (ArrayNode) list.path("items");
        Map<String, Map<String, Long>> byNode = pods ? Map.of() : usageByNode(cluster);
        for (StoredObject object : store.snapshot(resource).select(selection)) {
            Deadline.check();
            ObjectNode metrics = pods
                    ? podMetrics(object, cluster)
                    : nodeMetrics(object, cluster, byNode.getOrDefault(object.name(), Map.of()));
            if (metrics != null) {
                items.add(metrics);
            }
        }
        if (name.isEmpty()) {
            return list;
        }
        if (items.isEmpty()) {
            throw Errors.notFound(new ResourceType(RESOURCE, "v1beta1", resource, "", pods), name);
        }
        ObjectNode one = Json.object().put("kind", pods ? "PodMetrics" : "NodeMetrics").put("apiVersion",
                RESOURCE + "/v1beta1");
        return one.setAll((ObjectNode) items.get(0));
    }

    private static @Nullable ObjectNode podMetrics(StoredObject pod, Cluster cluster) {
        Map<String, Map<String, Long>> usage = cluster.usage(pod.tree());
        if (usage.isEmpty()) {
            return null;
        }
        ObjectNode metrics = measured(pod, cluster);
        ArrayNode containers = metrics.putArray("containers");
        usage.forEach((container, used) -> usage(containers.addObject().put("name", container), used));
        return metrics;
    }

    /** @param ofPods what the pods of a hollow node use */
    private static @Nullable ObjectNode nodeMetrics(StoredObject node, Cluster cluster, Map<String, Long> ofPods) {
        NodeUsages.Usage real = cluster.usageOf(node.name());
        Map<String, Long> used = real == null ? ofPods : real.node();
        if (real != null && used.isEmpty()) {
            return null;
        }
        ObjectNode metrics = measured(node, cluster);
        usage(metrics, Map.of("cpu", used.getOrDefault("cpu", 0L), "memory", used.getOrDefault("memory", 0L)));
        return metrics;
    }

    private Map<String, Map<String, Long>> usageByNode(Cluster cluster) {
        Map<String, Map<String, Long>> byNode = new TreeMap<>();
        for (StoredObject pod : store.snapshot("pods").select(Selection.all())) {
            Deadline.check();
            ObjectNode tree = pod.tree();
            Map<String, Long> node = byNode.computeIfAbsent(Json.text(tree, "spec", "nodeName"), n -> new TreeMap<>());
            cluster.usage(tree).values()
                    .forEach(used -> used.forEach((resource, milli) -> node.merge(resource, milli, Long::sum)));
        }
        return byNode;
    }

    private static ObjectNode measured(StoredObject object, Cluster cluster) {
        Allowance.take(BYTES_OF_ITEM);
        Instant now = cluster.now();
        ObjectNode metrics = Json.object();
        ObjectNode meta = metrics.putObject("metadata").put("name", object.name());
        if (!object.namespace().isEmpty()) {
            meta.put("namespace", object.namespace());
        }
        meta.put("creationTimestamp", Meta.time(now));
        if (!object.labels().isEmpty()) {
            object.labels().forEach(Json.child(meta, "labels")::put);
        }
        return metrics.put("timestamp", Meta.time(now)).put("window", Subject.WINDOW.toSeconds() + "s");
    }

    private static void usage(ObjectNode metrics, Map<String, Long> used) {
        ObjectNode usage = metrics.putObject("usage");
        new TreeMap<>(used).forEach((resource, milli) -> usage.put(resource,
                Quantities.ofMilli(milli, resource.equals("memory"))));
    }

    // ---- custom.metrics.k8s.io

    /**
     * The path names a resource, an object or a star, and a metric; for a metric of a Namespace it ends with
     * {@code metrics} and the metric.
     */
    private ObjectNode customMetrics(Route route, ApiRequest request, Cluster cluster) {
        List<String> parts = route.parts();
        String namespace = route.inNamespace() ? route.about().namespace() : "";
        boolean ofNamespace = parts.size() == 2 && parts.getFirst().equals("metrics") && !namespace.isEmpty();
        ResourceInfo info = find(ofNamespace ? "namespaces" : parts.getFirst());
        if (info == null || !ofNamespace && (parts.size() != 3 || info.type().namespaced() == namespace.isEmpty())) {
            throw Errors.noSuchResource();
        }
        String name = ofNamespace ? namespace : parts.get(1);
        String metric = parts.getLast();
        boolean all = name.equals("*");
        Selection selection = new Selection(ofNamespace ? "" : namespace, labels(request, "labelSelector"),
                all ? FieldSelector.everything() : FieldSelector.of("metadata.name", name));
        ObjectNode list = list(CUSTOM, "MetricValueList");
        LabelSelector metricLabels = labels(request, "metricLabelSelector");
        for (StoredObject object : store.snapshot(Target.stored(info.type())).select(selection)) {
            Deadline.check();
            Subject subject = new Subject(object.tree(), cluster);
            for (Series series : Series.of(subject.annotation(CUSTOM_PREFIX + metric), metricLabels)) {
                Long value = subject.milli(series.load(), null);
                if (value != null) {
                    Allowance.take(BYTES_OF_ITEM);
                    ObjectNode item = ((ArrayNode) list.path("items")).addObject();
                    ObjectNode described = item.putObject("describedObject").put("kind", info.type().kind());
                    described.put("name", object.name()).put("apiVersion", info.type().apiVersion());
                    if (!object.namespace().isEmpty()) {
                        described.put("namespace", object.namespace());
                    }
                    ObjectNode identifier = item.putObject("metric").put("name", metric);
                    if (series.labels().isEmpty()) {
                        identifier.putNull("selector");
                    } else {
                        series.labels().forEach(identifier.putObject("selector").putObject("matchLabels")::put);
                    }
                    item.put("timestamp", Meta.time(cluster.now())).put("windowSeconds", Subject.WINDOW.toSeconds());
                    item.put("value", Quantities.ofMilli(value, false));
                }
            }
        }
        if (!all && list.path("items").isEmpty()) {
            throw Errors.of(Errors.status(404, "NotFound", "the server could not find the metric " + metric + " for "
                    + info.type().groupResource() + " " + name, null));
        }
        return list;
    }

    /** @param groupResource {@code pods}, {@code ingresses.networking.k8s.io} */
    private @Nullable ResourceInfo find(String groupResource) {
        return registry.all().stream().filter(info -> info.type().groupResource().equals(groupResource)).findFirst()
                .orElse(null);
    }

    // ---- external.metrics.k8s.io

    private ObjectNode externalMetrics(Route route, ApiRequest request, Cluster cluster) {
        StoredObject namespace = route.inNamespace() && route.parts().size() == 1
                ? store.get("namespaces", "", route.about().namespace())
                : null;
        if (namespace == null) {
            throw Errors.noSuchResource();
        }
        String metric = route.parts().getFirst();
        ObjectNode list = list(EXTERNAL, "ExternalMetricValueList");
        Subject subject = new Subject(namespace.tree(), cluster);
        for (Series series : Series.of(subject.annotation(EXTERNAL_PREFIX + metric),
                labels(request, "labelSelector"))) {
            Long value = subject.milli(series.load(), null);
            if (value != null) {
                ObjectNode item = ((ArrayNode) list.path("items")).addObject().put("metricName", metric);
                ObjectNode labels = item.putObject("metricLabels");
                series.labels().forEach(labels::put);
                item.put("timestamp", Meta.time(cluster.now())).put("window", Subject.WINDOW.toSeconds());
                item.put("value", Quantities.ofMilli(value, false));
            }
        }
        return list;
    }
}
