package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

/** The rules of autoscalers, limit ranges, quotas and revisions (upstream: {@code pkg/apis/autoscaling/validation}, {@code pkg/apis/core/validation}). */
final class LimitsValidation {

    private LimitsValidation() {}

    static void autoscaler(ObjectNode autoscaler, Problems problems) {
        JsonNode spec = autoscaler.path("spec");
        long least = Json.number(spec, 1, "minReplicas");
        long most = Json.number(spec, 0, "maxReplicas");
        if (least < 1) {
            problems.invalid("spec.minReplicas", least, "must be greater than or equal to 1");
        }
        if (most < 1) {
            problems.invalid("spec.maxReplicas", most, "must be greater than 0");
        }
        if (most < least) {
            problems.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`");
        }
        JsonNode target = spec.path("scaleTargetRef");
        for (String field : List.of("kind", "name")) {
            String value = Json.text(target, field);
            if (value.isEmpty()) {
                problems.required("spec.scaleTargetRef." + field);
            } else {
                problems.invalid("spec.scaleTargetRef." + field, value, Formats.pathSegment(value));
            }
        }
        String version = Json.text(target, "apiVersion");
        if (version.split("/", -1).length > 2 || version.startsWith("/") || version.endsWith("/")) {
            problems.invalid("spec.scaleTargetRef.apiVersion", version, "unexpected GroupVersion string: " + version);
        }
        int i = 0;
        for (JsonNode metric : spec.path("metrics")) {
            metric(metric, Problems.at("spec.metrics", i++), problems);
        }
        for (String direction : List.of("scaleUp", "scaleDown")) {
            JsonNode rules = spec.path("behavior").get(direction);
            if (rules != null) {
                behavior(rules, "spec.behavior." + direction, problems);
            }
        }
    }

    private static void metric(JsonNode metric, String at, Problems problems) {
        String type = Json.text(metric, "type");
        String field = switch (type) {
            case "Object" -> "object";
            case "Pods" -> "pods";
            case "Resource" -> "resource";
            case "ContainerResource" -> "containerResource";
            case "External" -> "external";
            default -> "";
        };
        if (type.isEmpty()) {
            problems.required(at + ".type", "must specify a metric source type");
            return;
        }
        if (field.isEmpty()) {
            problems.notSupported(at + ".type", type, "ContainerResource", "External", "Object", "Pods", "Resource");
            return;
        }
        for (String other : List.of("object", "pods", "resource", "containerResource", "external")) {
            if (metric.has(other) && !other.equals(field)) {
                problems.forbidden(at + "." + other, "must populate the given metric source only");
            }
        }
        JsonNode source = metric.get(field);
        if (source == null) {
            problems.required(at + "." + field, "must populate information for the given metric source");
            return;
        }
        boolean resource = field.endsWith("esource");
        if (Json.text(source, resource ? new String[]{"name"} : new String[]{"metric", "name"}).isEmpty()) {
            problems.required(at + "." + field + (resource ? ".name" : ".metric.name"),
                    resource ? "must specify a resource name" : "must specify a metric name");
        }
        target(source.path("target"), at + "." + field + ".target", problems);
    }

    private static void target(JsonNode target, String at, Problems problems) {
        String type = Json.text(target, "type");
        if (type.isEmpty()) {
            problems.required(at + ".type", "must specify a metric target type");
        } else if (!List.of("Utilization", "Value", "AverageValue").contains(type)) {
            problems.invalid(at + ".type", type, "must be either Utilization, Value, or AverageValue");
        }
        if (target.has("averageUtilization") && Json.number(target, 0, "averageUtilization") < 1) {
            problems.invalid(at + ".averageUtilization", Json.number(target, 0, "averageUtilization"),
                    "must be greater than 0");
        }
        for (String field : List.of("value", "averageValue")) {
            BigDecimal value = Quantities.parse(Json.text(target, field));
            if (value != null && value.signum() != 1) {
                problems.invalid(at + "." + field, Json.text(target, field), "must be positive");
            }
        }
        if (!target.has("averageUtilization") && !target.has("averageValue") && !target.has("value")) {
            problems.required(at + ".averageUtilization",
                    "must set either a target raw value or a target utilization");
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
        int i = 0;
        for (JsonNode policy : rules.path("policies")) {
            String field = Problems.at(at + ".policies", i++);
            String type = Json.text(policy, "type");
            if (!type.equals("Pods") && !type.equals("Percent")) {
                problems.notSupported(field + ".type", type, "Percent", "Pods");
            }
            for (String number : List.of("value", "periodSeconds")) {
                if (Json.number(policy, 0, number) <= 0) {
                    problems.invalid(field + "." + number, Json.number(policy, 0, number), "must be greater than zero");
                }
            }
            if (Json.number(policy, 0, "periodSeconds") > 1800) {
                problems.invalid(field + ".periodSeconds", Json.number(policy, 0, "periodSeconds"),
                        "must be less than or equal to 1800");
            }
        }
    }
}
