package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.ResourceValidation;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Horizontal pod autoscalers, which are stored as autoscaling/v2 (upstream: {@code pkg/apis/autoscaling/validation},
 * {@code pkg/registry/autoscaling/horizontalpodautoscaler}).
 */
final class HorizontalPodAutoscalerStrategy extends Strategy {
    private static final int SHOWN_METRICS = 2;
    private static final List<String> SOURCES = List.of("object", "external", "pods", "resource", "containerResource");

    HorizontalPodAutoscalerStrategy() {
        super("autoscaling", "HorizontalPodAutoscaler", TableColumn.objectName(),
                TableColumn.of("Reference", "Object that is scaled.",
                        o -> o.text("spec", "scaleTargetRef", "kind") + "/"
                                + o.text("spec", "scaleTargetRef", "name")),
                TableColumn.of("Targets", "Current value and target of each metric.",
                        HorizontalPodAutoscalerStrategy::metrics),
                TableColumn.of("MinPods", "Lower bound of the replicas.", o -> o.scalarOr(Item.UNSET, "spec",
                        "minReplicas")),
                TableColumn.of("MaxPods", "Upper bound of the replicas.", o -> o.number("spec", "maxReplicas")),
                TableColumn.of("Replicas", "How many replicas the controller has counted.",
                        o -> o.number("status", "currentReplicas")),
                TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", spec -> set(spec, "minReplicas", 1));
        rules.put("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec",
                HorizontalPodAutoscalerStrategy::addDefaults);
    }

    private static void addDefaults(ObjectNode spec) {
        set(spec, "minReplicas", 1);
        if (isEmpty(spec, "metrics")) {
            spec.putArray("metrics").add(AutoscalerConversion.cpu(AutoscalerConversion.DEFAULT_UTILIZATION));
        }
        if (spec.get("behavior") instanceof ObjectNode behavior) {
            ObjectNode up = Json.child(behavior, "scaleUp");
            set(up, "stabilizationWindowSeconds", 0);
            set(up, "selectPolicy", "Max");
            if (Json.at(up, "policies") == null) {
                policy(policy(up.putArray("policies"), "Pods", 4), "Percent", 100);
            }
            ObjectNode down = Json.child(behavior, "scaleDown");
            set(down, "selectPolicy", "Max");
            if (Json.at(down, "policies") == null) {
                policy(down.putArray("policies"), "Percent", 100);
            }
        }
    }

    private static ArrayNode policy(ArrayNode policies, String type, int value) {
        policies.addObject().put("type", type).put("value", value).put("periodSeconds", 15);
        return policies;
    }

    private static String metrics(Item autoscaler) {
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

    /** The list of metrics is never left out. */
    @Override
    protected void create(ObjectNode autoscaler, User writer, ClusterState state) {
        listMetrics(autoscaler);
    }

    @Override
    protected void updateStatus(ObjectNode autoscaler, ObjectNode old, ClusterState state) {
        listMetrics(autoscaler);
    }

    private static void listMetrics(ObjectNode autoscaler) {
        ObjectNode status = Json.child(autoscaler, "status");
        if (isEmpty(status, "currentMetrics")) {
            status.putNull("currentMetrics");
        }
    }

    @Override
    protected void validateStatus(ObjectNode autoscaler, ObjectNode old, Problems problems) {
        problems.nonNegative(autoscaler.path("status"), "status", "currentReplicas");
        problems.nonNegative(autoscaler.path("status"), "status", "desiredReplicas");
    }

    @Override
    protected void validate(ObjectNode autoscaler, Problems problems) {
        check(v2(autoscaler), null, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode autoscaler, ObjectNode old, Problems problems) {
        check(v2(autoscaler), v2(old), problems);
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

    private static void check(JsonNode spec, @Nullable JsonNode old, Problems problems) {
        long least = Json.number(spec, 1, "minReplicas");
        long most = Json.number(spec, 0, "maxReplicas");
        if (least < 0 || least == 0 && (old == null || Json.number(old, 1, "minReplicas") != 0)) {
            problems.invalid("spec.minReplicas", least, "must be greater than or equal to 1");
        }
        if (most == 0) {
            problems.required("spec.maxReplicas", "must be set and greater than 0");
        } else if (most < 0) {
            problems.invalid("spec.maxReplicas", most, "must be greater than or equal to 1");
        }
        if (most < least) {
            problems.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`");
        }
        JsonNode target = spec.path("scaleTargetRef");
        JsonNode before = old == null ? null : old.path("scaleTargetRef");
        boolean same = before != null && Json.text(before, "apiVersion").equals(Json.text(target, "apiVersion"))
                && Json.text(before, "kind").equals(Json.text(target, "kind"));
        reference(target, "spec.scaleTargetRef", same, Json.text(target, "kind").equals("ReplicationController"),
                problems);
        metrics(spec.path("metrics"), old == null ? null : old.path("metrics"), least, problems);
        for (String direction : List.of("scaleUp", "scaleDown")) {
            JsonNode rules = spec.path("behavior").get(direction);
            if (rules != null && !rules.isNull()) {
                behavior(rules, "spec.behavior." + direction, problems);
            }
        }
    }

    /**
     * Checks a reference.
     *
     * @param anyVersion whether the version is not checked
     * @param core whether the kind may be one of the core group
     */
    private static void reference(JsonNode reference, String at, boolean anyVersion, boolean core, Problems problems) {
        for (String field : List.of("kind", "name")) {
            problems.formed(at + "." + field, Json.text(reference, field), Formats::pathSegment);
        }
        String version = Json.text(reference, "apiVersion");
        String wrong = anyVersion ? "" : wrongVersion(version, core);
        if (!wrong.isEmpty()) {
            problems.invalid(at + ".apiVersion", version, wrong);
        }
    }

    private static String wrongVersion(String version, boolean core) {
        int slash = version.indexOf('/');
        if (slash != version.lastIndexOf('/')) {
            return "unexpected GroupVersion string: " + version;
        }
        return core || slash > 0 ? "" : "apiVersion must specify API group";
    }

    private static void metrics(JsonNode metrics, @Nullable JsonNode old, long least, Problems problems) {
        boolean anyVersion = old != null
                && old.valueStream().anyMatch(metric -> Json.text(metric, "type").equals("Object")
                        && !wrongVersion(Json.text(metric, "object", "describedObject", "apiVersion"), true).isEmpty());
        Problems.each(metrics, "spec.metrics", (metric, at) -> metric(metric, at, anyVersion, problems));
        if (least == 0 && metrics.valueStream().map(metric -> Json.text(metric, "type"))
                .noneMatch(type -> type.equals("Object") || type.equals("External"))) {
            problems.forbidden("spec.metrics",
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
        JsonNode target = source.path("target");
        boolean value = target.has("value");
        boolean average = target.has("averageValue");
        boolean utilization = target.has("averageUtilization");
        if (kind.equals("object")) {
            reference(source.path("describedObject"), at + ".describedObject", anyVersion, true, problems);
        }
        if (kind.endsWith("esource")) {
            resource(source, kind.equals("containerResource"), at, problems);
        } else if (Json.text(source, "metric", "name").isEmpty()) {
            problems.required(at + ".metric.name", "must specify a metric name");
        } else {
            problems.formed(at + ".metric.name", Json.text(source, "metric", "name"), Formats::pathSegment);
        }
        target(target, at + ".target", problems);
        switch (kind) {
            case "object" -> {
                if (!value && !average) {
                    problems.required(at + ".target.averageValue", "must set either a target value or averageValue");
                }
            }
            case "external" -> {
                if (!value && !average) {
                    problems.required(at + ".target.averageValue",
                            "must set either a target value for metric or a per-pod target");
                }
                if (value && average) {
                    problems.forbidden(at + ".target.value",
                            "may not set both a target value for metric and a per-pod target");
                }
            }
            case "pods" -> {
                if (!average) {
                    problems.required(at + ".target.averageValue", "must specify a positive target averageValue");
                }
            }
            default -> {
                if (!utilization && !average) {
                    problems.required(at + ".target.averageUtilization",
                            "must set either a target raw value or a target utilization");
                }
                if (utilization && average) {
                    problems.forbidden(at + ".target.averageValue",
                            "may not set both a target raw value and a target utilization");
                }
            }
        }
    }

    private static void resource(JsonNode source, boolean ofContainer, String at, Problems problems) {
        String name = Json.text(source, "name");
        if (name.isEmpty()) {
            problems.required(at + ".name", "must specify a resource name");
        } else if (ofContainer) {
            ResourceValidation.name(name, at + ".name", problems);
        }
        String container = Json.text(source, "container");
        if (ofContainer && container.isEmpty()) {
            problems.required(at + ".container", "must specify a container");
        } else if (ofContainer) {
            problems.formed(at + ".container", container, Formats::dnsLabel);
        }
    }

    private static void target(JsonNode target, String at, Problems problems) {
        String type = Json.text(target, "type");
        if (type.isEmpty()) {
            problems.required(at + ".type", "must specify a metric target type");
        }
        if (!List.of("Utilization", "Value", "AverageValue").contains(type)) {
            problems.invalid(at + ".type", type, "must be either Utilization, Value, or AverageValue");
        }
        for (String field : List.of("value", "averageValue")) {
            BigDecimal value = Quantities.parse(Json.text(target, field));
            if (value != null && value.signum() != 1) {
                problems.invalid(at + "." + field, Json.text(target, field), "must be positive");
            }
        }
        if (target.has("averageUtilization") && Json.number(target, 0, "averageUtilization") < 1) {
            problems.invalid(at + ".averageUtilization", Json.number(target, 0, "averageUtilization"),
                    "must be greater than 0");
        }
    }

    private static void behavior(JsonNode rules, String at, Problems problems) {
        long window = Json.number(rules, 0, "stabilizationWindowSeconds");
        if (window < 0) {
            problems.invalid(at + ".stabilizationWindowSeconds", window, "must be greater than or equal to zero");
        } else if (window > 3600) {
            problems.invalid(at + ".stabilizationWindowSeconds", window, "must be less than or equal to 3600");
        }
        if (rules.has("selectPolicy")) {
            problems.oneOf(at + ".selectPolicy", Json.text(rules, "selectPolicy"), "Disabled", "Max", "Min");
        }
        problems.filled(rules, at, "policies", "must specify at least one Policy");
        Problems.each(rules.path("policies"), at + ".policies", (policy, field) -> {
            String type = Json.text(policy, "type");
            problems.supported(field + ".type", type, "Percent", "Pods");
            for (String number : List.of("value", "periodSeconds")) {
                if (Json.number(policy, 0, number) <= 0) {
                    problems.invalid(field + "." + number, Json.number(policy, 0, number), "must be greater than zero");
                }
            }
            if (Json.number(policy, 0, "periodSeconds") > 1800) {
                problems.invalid(field + ".periodSeconds", Json.number(policy, 0, "periodSeconds"),
                        "must be less than or equal to 1800");
            }
        });
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
}
