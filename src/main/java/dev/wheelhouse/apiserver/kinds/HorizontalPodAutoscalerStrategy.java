package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;

/**
 * Horizontal pod autoscalers, which are stored as autoscaling/v2 (upstream: {@code pkg/apis/autoscaling/validation},
 * {@code pkg/registry/autoscaling/horizontalpodautoscaler}).
 */
final class HorizontalPodAutoscalerStrategy extends Strategy {
    private static final int SHOWN_METRICS = 2;
    private static final List<String> SOURCES = List.of("object", "external", "pods", "resource", "containerResource");

    HorizontalPodAutoscalerStrategy() {
        super("autoscaling", "HorizontalPodAutoscaler", Map.of("targets", HorizontalPodAutoscalerStrategy::targets));
    }

    private static String targets(Item autoscaler) {
        if (autoscaler.has("spec", "targetCPUUtilizationPercentage")) {
            return "cpu: " + percent(autoscaler, "status", "currentCPUUtilizationPercentage") + "/"
                    + percent(autoscaler, "spec", "targetCPUUtilizationPercentage");
        }
        List<Item> specs = autoscaler.items("spec", "metrics");
        List<Item> statuses = autoscaler.items("status", "currentMetrics");
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            texts.add(metric(specs.get(i), i < statuses.size() ? statuses.get(i) : autoscaler.part("none")));
        }
        if (texts.isEmpty()) {
            return Item.NONE;
        }
        return texts.size() <= SHOWN_METRICS
                ? String.join(", ", texts)
                : String.join(", ", texts.subList(0, SHOWN_METRICS)) + " + " + (texts.size() - SHOWN_METRICS)
                        + " more...";
    }

    private static String metric(Item spec, Item status) {
        return switch (spec.text("type")) {
            case "External" -> valueOrAverage(spec.part("external", "target"), status.part("external", "current"));
            case "Object" -> valueOrAverage(spec.part("object", "target"), status.part("object", "current"));
            case "Pods" -> status.scalarOr(Item.UNKNOWN, "pods", "current", "averageValue") + "/"
                    + spec.scalarOr("0", "pods", "target", "averageValue");
            case "Resource" -> resource(spec.part("resource"), status.part("resource"));
            case "ContainerResource" -> resource(spec.part("containerResource"), status.part("containerResource"));
            default -> "<unknown type>";
        };
    }

    private static String valueOrAverage(Item target, Item current) {
        return target.has("averageValue")
                ? current.scalarOr(Item.UNKNOWN, "averageValue") + "/" + target.scalarOr("0", "averageValue") + " (avg)"
                : current.scalarOr(Item.UNKNOWN, "value") + "/" + target.scalarOr("0", "value");
    }

    private static String resource(Item spec, Item status) {
        String name = spec.text("name") + ": ";
        if (spec.has("target", "averageValue")) {
            return name + status.scalarOr(Item.UNKNOWN, "current", "averageValue") + "/"
                    + spec.scalarOr("0", "target", "averageValue");
        }
        String target = spec.has("target", "averageUtilization")
                ? percent(spec, "target", "averageUtilization")
                : "<auto>";
        return name + percent(status, "current", "averageUtilization") + "/" + target;
    }

    private static String percent(Item item, String... path) {
        return item.has(path) ? item.number(path) + "%" : Item.UNKNOWN;
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", AutoscalerConversion::defaultTarget);
    }

    /** The list of metrics is never left out. */
    @Override
    protected void create(ObjectNode autoscaler, User writer, ClusterState state) {
        listMetrics(autoscaler);
    }

    @Override
    protected void updateStatus(ObjectNode autoscaler, ObjectNode old, ClusterState state) {
        if (Json.text(autoscaler, "apiVersion").equals("autoscaling/v1")) {
            AutoscalerConversion.toV2(autoscaler);
            AutoscalerConversion.toV1(autoscaler); // The annotations follow from the status.
        }
        listMetrics(autoscaler);
    }

    private static void listMetrics(ObjectNode autoscaler) {
        if (Json.text(autoscaler, "apiVersion").equals("autoscaling/v1")) {
            return;
        }
        ObjectNode status = Json.child(autoscaler, "status");
        if (isEmpty(status, "currentMetrics")) {
            status.putNull("currentMetrics");
        }
    }

    @Override
    protected void validate(ObjectNode autoscaler, Problems problems) {
        check("HorizontalPodAutoscalerSpec", v2(autoscaler), null, "spec", problems);
    }

    @Override
    protected void validateUpdate(ObjectNode autoscaler, ObjectNode old, Problems problems) {
        check("HorizontalPodAutoscalerSpec", v2(autoscaler), v2(old), "spec", problems);
    }

    /** The spec in version 2, in which the rules are written. */
    private static JsonNode v2(ObjectNode autoscaler) {
        ObjectNode converted = autoscaler;
        if (Json.text(autoscaler, "apiVersion").equals("autoscaling/v1")) {
            converted = autoscaler.deepCopy();
            AutoscalerConversion.toV2(converted);
        }
        return converted.path("spec");
    }

    private static String wrongVersion(String version, boolean core) {
        int slash = version.indexOf('/');
        if (slash != version.lastIndexOf('/')) {
            return "unexpected GroupVersion string: " + version;
        }
        return core || slash > 0 ? "" : "apiVersion must specify API group";
    }

    static void metrics(Subject metrics) {
        boolean anyVersion = metrics.old().valueStream().anyMatch(metric -> Json.text(metric, "type").equals("Object")
                && !wrongVersion(Json.text(metric, "object", "describedObject", "apiVersion"), true).isEmpty());
        Problems.each(metrics.value(), metrics.path(),
                (metric, at) -> metric(metric, at, anyVersion, metrics.problems()));
        if (Json.number(metrics.root(), 1, "minReplicas") == 0
                && metrics.value().valueStream().map(metric -> Json.text(metric, "type"))
                        .noneMatch(type -> type.equals("Object") || type.equals("External"))) {
            metrics.problems().forbidden(metrics.path(),
                    "must specify at least one Object or External metric to support scaling to zero replicas");
        }
    }

    private static void metric(JsonNode metric, String at, boolean anyVersion, Problems problems) {
        String type = Json.text(metric, "type");
        String expected = type.isEmpty() ? "" : Character.toLowerCase(type.charAt(0)) + type.substring(1);
        boolean known = SOURCES.contains(expected) && Character.isUpperCase(type.charAt(0));
        if (type.isEmpty()) {
            problems.required(at + ".type", "must specify a metric source type");
        }
        if (!known) {
            unknownType(at, type, problems);
        }
        List<String> present = SOURCES.stream().filter(source -> Json.at(metric, source) != null).toList();
        if (!present.isEmpty()) {
            source(metric.path(present.getFirst()), present.getFirst(), at + "." + present.getFirst(), anyVersion,
                    problems);
        }
        if (!known) {
            unknownType(at, type, problems);
        } else if (!present.contains(expected)) {
            problems.required(at + "." + expected, "must populate information for the given metric source");
        }
        if (present.size() != 1) {
            present.stream().filter(source -> !source.equals(expected)).forEach(source -> problems
                    .forbidden(at + "." + source, "must populate the given metric source only"));
        }
    }

    private static void unknownType(String at, String type, Problems problems) {
        problems.notSupported(at + ".type", type, "ContainerResource", "External", "Object", "Pods", "Resource");
    }

    private static void source(JsonNode source, String kind, String at, boolean anyVersion, Problems problems) {
        if (kind.equals("object")) {
            JsonNode reference = source.path("describedObject");
            check("ObjectReference", reference, null, at + ".describedObject", problems);
            if (!anyVersion) {
                version(Json.text(reference, "apiVersion"), at + ".describedObject.apiVersion", true, problems);
            }
        }
        check("MetricSource." + kind, source, null, at, problems);
    }

    @Override
    public boolean isConverted(ResourceType type) {
        return type.version().equals("v1");
    }

    @Override
    public void toStored(ResourceType type, ObjectNode object) {
        if (isConverted(type)) {
            AutoscalerConversion.toV2(object);
        }
    }

    @Override
    public void toVersion(ResourceType type, ObjectNode object) {
        if (isConverted(type)) {
            AutoscalerConversion.toV1(object);
        }
    }

    static void scaleTargetVersion(Subject version) {
        JsonNode target = version.object();
        JsonNode before = version.oldObject();
        boolean same = version.oldRoot().isObject() && Json.text(before, "apiVersion").equals(version.text())
                && Json.text(before, "kind").equals(Json.text(target, "kind"));
        if (!same) {
            version(version.text(), version.path(), Json.text(target, "kind").equals("ReplicationController"),
                    version.problems());
        }
    }

    private static void version(String version, String at, boolean core, Problems problems) {
        String wrong = wrongVersion(version, core);
        if (!wrong.isEmpty()) {
            problems.invalid(at, version, wrong);
        }
    }
}
