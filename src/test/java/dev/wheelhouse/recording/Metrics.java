package dev.wheelhouse.recording;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

/**
 * The metrics APIs of one scenario, which answer what its last {@code metrics} step says. All three APIs are always
 * there, as adapters that know no metric are. Thread safe.
 */
final class Metrics {
    /** The groups and their versions, the preferred one first. */
    static final Map<String, String[]> GROUPS = Map.of("metrics.k8s.io", new String[]{"v1beta1"},
            "custom.metrics.k8s.io", new String[]{"v1beta2", "v1beta1"}, "external.metrics.k8s.io",
            new String[]{"v1beta1"});
    private static final Pattern RESOURCE = Pattern
            .compile("/apis/metrics\\.k8s\\.io/v1beta1/namespaces/(?<namespace>[^/]+)/pods");
    private static final Pattern CUSTOM = Pattern
            .compile("/apis/custom\\.metrics\\.k8s\\.io/(?<version>[^/]+)/namespaces/"
                    + "(?<namespace>[^/]+)/(?<resource>[^/]+)/(?<name>[^/]+)(?:/(?<metric>.+))?");
    private static final Pattern EXTERNAL = Pattern
            .compile("/apis/external\\.metrics\\.k8s\\.io/v1beta1/namespaces/(?<namespace>[^/]+)/(?<metric>.+)");
    private static final Wire.Answer UNAVAILABLE = failure(503, "ServiceUnavailable",
            "the server is currently unable to handle the request");

    private final Wire wire;
    private final Names names;
    private final Clock clock;
    private volatile JsonNode said = Json.object();

    Metrics(Wire wire, Names names, Clock clock) {
        this.wire = wire;
        this.names = names;
        this.clock = clock;
    }

    /** Sets all answers from now on. */
    void say(JsonNode metrics) {
        Set<String> fields = Set.of("pods", "custom", "external", "unavailable", "age", "window");
        if (!fields.containsAll(metrics.propertyNames())) {
            throw new IllegalArgumentException("metrics: " + metrics + " has a field that is not one of " + fields);
        }
        said = metrics;
    }

    JsonNode said() {
        return said;
    }

    /** The namespace of a path of these APIs; null for other paths, also those of discovery. */
    static @Nullable String namespace(String path) {
        for (Pattern pattern : new Pattern[]{RESOURCE, CUSTOM, EXTERNAL}) {
            Matcher matcher = pattern.matcher(path);
            if (matcher.matches()) {
                return matcher.group("namespace");
            }
        }
        return null;
    }

    /** A document of discovery: that of a group or of a version. Null for other paths. */
    static @Nullable JsonNode discovery(String path) {
        for (Map.Entry<String, String[]> group : GROUPS.entrySet()) {
            String root = "/apis/" + group.getKey();
            if (path.equals(root)) {
                return group(group.getKey()).put("kind", "APIGroup").put("apiVersion", "v1");
            }
            for (String version : group.getValue()) {
                if (path.equals(root + "/" + version)) {
                    ObjectNode resources = Json.object().put("kind", "APIResourceList").put("apiVersion", "v1")
                            .put("groupVersion", group.getKey() + "/" + version);
                    resources.putArray("resources");
                    return resources;
                }
            }
        }
        return null;
    }

    /** A group as the list of all groups has it. */
    static ObjectNode group(String name) {
        ObjectNode group = Json.object().put("name", name);
        ArrayNode versions = group.putArray("versions");
        for (String version : GROUPS.getOrDefault(name, new String[0])) {
            versions.addObject().put("groupVersion", name + "/" + version).put("version", version);
        }
        group.set("preferredVersion", versions.get(0));
        return group;
    }

    /** @param query the decoded query */
    Wire.Answer answer(String path, Map<String, String> query) {
        Matcher resource = RESOURCE.matcher(path);
        if (resource.matches()) {
            return isUnavailable("resource") ? UNAVAILABLE : ofPods(resource.group("namespace"), query);
        }
        Matcher custom = CUSTOM.matcher(path);
        if (custom.matches()) {
            return isUnavailable("custom") ? UNAVAILABLE : custom(custom, query);
        }
        Matcher external = EXTERNAL.matcher(path);
        if (external.matches()) {
            return isUnavailable("external") ? UNAVAILABLE : external(external.group("metric"), query);
        }
        return failure(404, "NotFound", "the server could not find the requested resource");
    }

    private boolean isUnavailable(String api) {
        return said.path("unavailable").valueStream().anyMatch(a -> a.asString().equals(api));
    }

    private Wire.Answer ofPods(String namespace, Map<String, String> query) {
        ObjectNode list = list("PodMetricsList", "metrics.k8s.io/v1beta1");
        for (String pod : pods(namespace, query)) {
            for (Map.Entry<String, JsonNode> usage : said.path("pods").properties()) {
                if (matches(usage.getKey(), pod)) {
                    ObjectNode item = list.withArray("items").addObject();
                    item.putObject("metadata").put("name", pod).put("namespace", namespace);
                    item.put("timestamp", timestamp()).put("window", said.path("window").asString("30s"));
                    ArrayNode containers = item.putArray("containers");
                    usage.getValue().properties().forEach(
                            c -> containers.addObject().put("name", c.getKey()).set("usage", c.getValue()));
                }
            }
        }
        return new Wire.Answer(200, list);
    }

    private Wire.Answer custom(Matcher path, Map<String, String> query) {
        String version = path.group("version");
        String namespace = path.group("namespace");
        String resource = path.group("resource");
        boolean ofNamespace = resource.equals("metrics") && path.group("metric") == null;
        String metric = ofNamespace ? path.group("name") : String.valueOf(path.group("metric"));
        ObjectNode list = list("MetricValueList", "custom.metrics.k8s.io/" + version);
        for (JsonNode value : said.path("custom")) {
            if (!Json.text(value, "metric").equals(metric) || !selected(query.get("metricLabelSelector"), value)) {
                continue;
            }
            if (value.has("pods") && resource.equals("pods") && path.group("name").equals("*")) {
                pods(namespace, query).stream().filter(p -> matches(Json.text(value, "pods"), p))
                        .forEach(p -> item(list, version, value, metric, "Pod", p));
            } else if (Json.text(value, "object")
                    .equals(ofNamespace ? "namespace" : resource + "/" + path.group("name"))) {
                item(list, version, value, metric, "Object", path.group("name"));
            }
        }
        return list.path("items").isEmpty()
                ? failure(404, "NotFound", "the server could not find the metric " + metric + " for " + resource)
                : new Wire.Answer(200, list);
    }

    private void item(ObjectNode list, String version, JsonNode value, String metric, String kind, String name) {
        ObjectNode item = list.withArray("items").addObject();
        item.putObject("describedObject").put("kind", kind).put("name", name);
        if (version.equals("v1beta1")) {
            item.put("metricName", metric);
        } else {
            item.putObject("metric").put("name", metric);
        }
        item.put("timestamp", timestamp()).put("value", value.path("value").asString(value.path("value").toString()));
    }

    private Wire.Answer external(String metric, Map<String, String> query) {
        ObjectNode list = list("ExternalMetricValueList", "external.metrics.k8s.io/v1beta1");
        for (JsonNode value : said.path("external")) {
            if (Json.text(value, "metric").equals(metric) && selected(query.get("labelSelector"), value)) {
                ObjectNode item = list.withArray("items").addObject();
                item.put("metricName", metric).set("metricLabels", value.has("labels")
                        ? value.get("labels")
                        : Json.object());
                item.put("timestamp", timestamp())
                        .put("value", value.path("value").asString(value.path("value").toString()));
            }
        }
        return new Wire.Answer(200, list);
    }

    private static ObjectNode list(String kind, String apiVersion) {
        ObjectNode list = Json.object().put("kind", kind).put("apiVersion", apiVersion);
        list.putObject("metadata");
        list.putArray("items");
        return list;
    }

    private static boolean selected(@Nullable String selector, JsonNode value) {
        Map<String, String> labels = value.path("labels").properties().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, l -> l.getValue().asString()));
        return selector == null || LabelSelector.parse(selector).matches(labels);
    }

    /** The names of the pods that a request selects. */
    private List<String> pods(String namespace, Map<String, String> query) {
        String selector = query.get("labelSelector");
        return wire.get(ResourceType.PODS.path(namespace) + (selector == null
                ? ""
                : "?labelSelector=" + URLEncoder.encode(selector, StandardCharsets.UTF_8))).expected().path("items")
                .valueStream().map(Names::name).toList();
    }

    private boolean matches(String glob, String pod) {
        return glob.equals("all") || names.alias(pod).matches(Pattern.quote(glob).replace("*", "\\E.*\\Q"));
    }

    private String timestamp() {
        Duration age = Scenario.duration(said.path("age").asString("0s"));
        return ModelJson.time(clock.now().minus(age).truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC));
    }

    private static Wire.Answer failure(int code, String reason, String message) {
        return new Wire.Answer(code, Json.object().put("kind", "Status").put("apiVersion", "v1")
                .put("status", "Failure").put("message", message).put("reason", reason).put("code", code));
    }
}
