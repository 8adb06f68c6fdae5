package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;

/**
 * Converts autoscalers between the versions. Version 1 has the CPU's target and usage in percent as fields, and keeps
 * everything else that it has no fields for in annotations: metrics in a form of their own, the behavior with the names
 * of Go's fields (upstream: {@code pkg/apis/autoscaling/v1/conversion.go}).
 */
final class AutoscalerConversion {
    /** The target in percent of an autoscaler without metrics. */
    static final int DEFAULT_UTILIZATION = 80;

    private static final String ANNOTATION = "autoscaling.alpha.kubernetes.io/";
    private static final String METRICS = ANNOTATION + "metrics";
    private static final String CURRENT = ANNOTATION + "current-metrics";
    private static final String BEHAVIOR = ANNOTATION + "behavior";
    private static final String CONDITIONS = ANNOTATION + "conditions";
    private static final List<String> ALL = List.of(METRICS, BEHAVIOR, ANNOTATION + "scale-down-tolerance",
            ANNOTATION + "scale-up-tolerance", CURRENT, CONDITIONS);
    private static final String UTILIZATION = "averageUtilization";
    private static final String TARGET_PERCENT = "targetCPUUtilizationPercentage";
    private static final String CURRENT_PERCENT = "currentCPUUtilizationPercentage";
    /** The fields of a behavior, in Go's order. */
    private static final List<String> RULES = List.of("stabilizationWindowSeconds", "selectPolicy", "policies",
            "tolerance");
    private static final List<String> POLICY = List.of("type", "value", "periodSeconds");

    private AutoscalerConversion() {}

    /** A metric that is the CPU's utilization. */
    static ObjectNode cpu(int percent) {
        ObjectNode metric = Json.object().put("type", "Resource");
        metric.putObject("resource").put("name", "cpu").putObject("target").put("type", "Utilization").put(UTILIZATION,
                percent);
        return metric;
    }

    /** The target of an autoscaler of version 1 without metrics, which upstream's conversion sets. */
    static void defaultTarget(ObjectNode v1) {
        if (v1.get("spec") instanceof ObjectNode spec && !spec.has(TARGET_PERCENT)
                && annotation(v1, METRICS).isEmpty()) {
            spec.put(TARGET_PERCENT, DEFAULT_UTILIZATION);
        }
    }

    static void toV1(ObjectNode object) {
        object.put("apiVersion", "autoscaling/v1");
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        dropAnnotations(object);
        ArrayNode others = Json.array();
        for (JsonNode metric : taken(spec, "metrics")) {
            JsonNode percent = cpuPercent(metric, "target");
            if (percent == null) {
                others.add(metricToV1(metric, "target"));
            } else if (!spec.has(TARGET_PERCENT)) {
                spec.set(TARGET_PERCENT, percent);
            }
        }
        ArrayNode current = Json.array();
        for (JsonNode metric : taken(status, "currentMetrics")) {
            JsonNode percent = cpuPercent(metric, "current");
            if (percent != null) {
                status.set(CURRENT_PERCENT, percent);
            }
            current.add(metricToV1(metric, "current"));
        }
        annotate(object, METRICS, others);
        annotate(object, CURRENT, current);
        annotate(object, CONDITIONS, taken(status, "conditions"));
        if (spec.remove("behavior") instanceof ObjectNode behavior) {
            annotate(object, BEHAVIOR, behaviorToGo(behavior));
        }
        if (!status.has("currentReplicas")) {
            status.put("currentReplicas", 0);
        }
    }

    static void toV2(ObjectNode object) {
        object.put("apiVersion", "autoscaling/v2");
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        ArrayNode metrics = spec.putArray("metrics");
        ofAnnotation(object, METRICS, metric -> metricToV2(metric, "target"), metrics::add);
        if (spec.remove(TARGET_PERCENT) instanceof JsonNode percent && !percent.isNull()) {
            metrics.add(cpu(percent.asInt(0)));
        }
        if (metrics.isEmpty()) {
            metrics.add(cpu(DEFAULT_UTILIZATION));
        }
        ArrayNode current = Json.array();
        ofAnnotation(object, CURRENT, metric -> metricToV2(metric, "current"), current::add);
        JsonNode percent = status.remove(CURRENT_PERCENT);
        if (current.isEmpty() && percent != null && !percent.isNull()) {
            ObjectNode metric = current.addObject().put("type", "Resource");
            metric.putObject("resource").put("name", "cpu").putObject("current").set(UTILIZATION, percent);
        }
        status.set("currentMetrics", current.isEmpty() ? NullNode.getInstance() : current);
        ArrayNode conditions = Json.array();
        if (Json.number(status, 0, "currentReplicas") == 0) {
            status.remove("currentReplicas");
        }
        ofAnnotation(object, CONDITIONS, condition -> condition, conditions::add);
        if (!conditions.isEmpty()) {
            status.set("conditions", conditions);
        }
        if (parsed(annotation(object, BEHAVIOR)) instanceof ObjectNode behavior
                && behaviorFromGo(behavior) instanceof ObjectNode known && !known.isEmpty()) {
            spec.set("behavior", known);
        }
        dropAnnotations(object);
    }

    private static JsonNode taken(ObjectNode part, String list) {
        JsonNode value = part.remove(list);
        return value == null ? Json.array() : value;
    }

    private static @Nullable JsonNode cpuPercent(JsonNode metric, String value) {
        return Json.text(metric, "type").equals("Resource") && Json.text(metric, "resource", "name").equals("cpu")
                ? Json.at(metric, "resource", value, UTILIZATION)
                : null;
    }

    // ---- metrics

    /** @param value {@code target} or {@code current}: the part of the metric that has the value */
    private static ObjectNode metricToV1(JsonNode metric, String value) {
        ObjectNode converted = Json.object().put("type", Json.text(metric, "type"));
        boolean target = value.equals("target");
        for (Map.Entry<String, JsonNode> entry : metric.properties()) {
            if (entry.getValue() instanceof ObjectNode source) {
                ObjectNode v1 = converted.putObject(entry.getKey());
                JsonNode amount = source.path(value);
                switch (entry.getKey()) {
                    case "object" -> {
                        ObjectNode described = v1.putObject("target");
                        for (String field : List.of("kind", "name", "apiVersion")) {
                            copy(source.path("describedObject"), field, described, field);
                        }
                        copy(source.path("metric"), "name", v1, "metricName");
                        v1.put(value + "Value", text(amount, "value"));
                        copy(source.path("metric"), "selector", v1, "selector");
                        copy(amount, "averageValue", v1, "averageValue");
                    }
                    case "pods" -> {
                        copy(source.path("metric"), "name", v1, "metricName");
                        v1.put(value + "AverageValue", text(amount, "averageValue"));
                        copy(source.path("metric"), "selector", v1, "selector");
                    }
                    case "external" -> {
                        copy(source.path("metric"), "name", v1, "metricName");
                        copy(source.path("metric"), "selector", v1, "metricSelector");
                        if (target) {
                            copy(amount, "value", v1, "targetValue");
                        } else {
                            v1.put("currentValue", text(amount, "value"));
                        }
                        copy(amount, "averageValue", v1, value + "AverageValue");
                    }
                    default -> {
                        copy(source, "name", v1, "name");
                        copy(amount, UTILIZATION, v1, value + "AverageUtilization");
                        if (target) {
                            copy(amount, "averageValue", v1, "targetAverageValue");
                        } else {
                            v1.put("currentAverageValue", text(amount, "averageValue"));
                        }
                        copy(source, "container", v1, "container");
                    }
                }
            }
        }
        return converted;
    }

    private static ObjectNode metricToV2(JsonNode metric, String value) {
        ObjectNode converted = Json.object().put("type", Json.text(metric, "type"));
        boolean target = value.equals("target");
        for (Map.Entry<String, JsonNode> entry : metric.properties()) {
            if (entry.getValue() instanceof ObjectNode v1) {
                ObjectNode source = converted.putObject(entry.getKey());
                ObjectNode amount = Json.object();
                String type = "AverageValue";
                switch (entry.getKey()) {
                    case "object" -> {
                        copy(v1, "target", source, "describedObject");
                        identify(v1, "selector", source);
                        copy(v1, "averageValue", amount, "averageValue");
                        boolean average = amount.has("averageValue");
                        type = average ? type : "Value";
                        if (!target || !average || !text(v1, "targetValue").equals("0")) {
                            amount.put("value", text(v1, value + "Value"));
                        }
                    }
                    case "pods" -> {
                        identify(v1, "selector", source);
                        amount.put("averageValue", text(v1, value + "AverageValue"));
                    }
                    case "external" -> {
                        identify(v1, "metricSelector", source);
                        copy(v1, value + "Value", amount, "value");
                        copy(v1, value + "AverageValue", amount, "averageValue");
                        type = amount.has("value") ? "Value" : type;
                    }
                    default -> {
                        copy(v1, "name", source, "name");
                        copy(v1, "container", source, "container");
                        copy(v1, value + "AverageUtilization", amount, UTILIZATION);
                        copy(v1, value + "AverageValue", amount, "averageValue");
                        type = amount.has(UTILIZATION) ? "Utilization" : type;
                    }
                }
                source.set(value, target ? Json.object().put("type", type).setAll(amount) : amount);
            }
        }
        return converted;
    }

    private static void identify(JsonNode v1, String selector, ObjectNode source) {
        ObjectNode metric = source.putObject("metric");
        metric.put("name", Json.text(v1, "metricName"));
        copy(v1, selector, metric, "selector");
    }

    private static void copy(JsonNode from, String field, ObjectNode to, String as) {
        Meta.set(to, as, Json.at(from, field));
    }

    private static String text(JsonNode from, String quantity) {
        String text = Json.text(from, quantity);
        return text.isEmpty() ? "0" : text;
    }

    // ---- behavior

    private static ObjectNode behaviorToGo(ObjectNode behavior) {
        ObjectNode go = Json.object();
        for (String direction : List.of("scaleUp", "scaleDown")) {
            JsonNode rules = behavior.path(direction);
            go.set(upper(direction), rules.isObject() ? rulesToGo(rules) : NullNode.getInstance());
        }
        return go;
    }

    private static ObjectNode rulesToGo(JsonNode rules) {
        ObjectNode go = named(rules, RULES);
        ArrayNode policies = Json.array();
        rules.path("policies").forEach(policy -> policies.add(named(policy, POLICY)));
        return go.set("Policies", policies);
    }

    private static ObjectNode named(JsonNode object, List<String> fields) {
        ObjectNode go = Json.object();
        fields.forEach(field -> go.set(upper(field), object.hasNonNull(field)
                ? object.path(field)
                : NullNode.getInstance()));
        return go;
    }

    /** Names of any case; fields that are null are left out. */
    private static JsonNode behaviorFromGo(JsonNode go) {
        if (go instanceof ObjectNode object) {
            ObjectNode known = Json.object();
            object.properties().stream().filter(entry -> !entry.getValue().isNull()).forEach(entry -> known
                    .set(lower(entry.getKey()), behaviorFromGo(entry.getValue())));
            return known;
        }
        ArrayNode list = Json.array();
        go.forEach(item -> list.add(behaviorFromGo(item)));
        return go.isArray() ? list : go;
    }

    private static String upper(String field) {
        return Character.toUpperCase(field.charAt(0)) + field.substring(1);
    }

    private static String lower(String field) {
        return field.isEmpty() ? field : Character.toLowerCase(field.charAt(0)) + field.substring(1);
    }

    // ---- annotations

    private static String annotation(ObjectNode object, String name) {
        return Json.text(object, "metadata", "annotations", name);
    }

    private static void ofAnnotation(ObjectNode object, String name, UnaryOperator<JsonNode> conversion,
            Consumer<JsonNode> each) {
        if (parsed(annotation(object, name)) instanceof ArrayNode list) {
            list.forEach(item -> each.accept(conversion.apply(item)));
        }
    }

    private static @Nullable JsonNode parsed(String text) {
        try {
            return text.isEmpty() ? null : Json.read(text);
        } catch (JacksonException e) {
            return null; // The annotation is not from this server, and the other fields hold.
        }
    }

    private static void annotate(ObjectNode object, String name, JsonNode value) {
        if (!value.isEmpty()) {
            Json.child(Meta.of(object), "annotations").put(name, value.toString());
        }
    }

    private static void dropAnnotations(ObjectNode object) {
        if (Json.at(object, "metadata", "annotations") instanceof ObjectNode annotations) {
            annotations.remove(ALL);
            if (annotations.isEmpty()) {
                Meta.of(object).remove("annotations");
            }
        }
    }
}
