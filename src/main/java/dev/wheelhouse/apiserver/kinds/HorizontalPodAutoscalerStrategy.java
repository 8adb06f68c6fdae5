package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/**
 * Horizontal pod autoscalers, which are stored as autoscaling/v2. Version 1 has the CPU's target as a number of its own
 * and keeps everything that it has no field for in annotations (upstream:
 * {@code pkg/apis/autoscaling/v1/conversion.go}, {@code pkg/registry/autoscaling/horizontalpodautoscaler}).
 */
final class HorizontalPodAutoscalerStrategy extends Strategy {
    private static final int CPU_UTILIZATION_PERCENT = 80;
    private static final int SHOWN_METRICS = 2;
    private static final String ANNOTATION = "autoscaling.alpha.kubernetes.io/";

    HorizontalPodAutoscalerStrategy() {
        super("autoscaling", "HorizontalPodAutoscaler", Column.objectName(),
                Column.of("Reference", "Object that is scaled.",
                        o -> o.text("spec", "scaleTargetRef", "kind") + "/"
                                + o.text("spec", "scaleTargetRef", "name")),
                Column.of("Targets", "Current value and target of each metric.",
                        HorizontalPodAutoscalerStrategy::metrics),
                Column.of("MinPods", "Lower bound of the replicas.", o -> o.scalarOr(Item.UNSET, "spec",
                        "minReplicas")),
                Column.of("MaxPods", "Upper bound of the replicas.", o -> o.number("spec", "maxReplicas")),
                Column.of("Replicas", "How many replicas the controller has counted.",
                        o -> o.number("status", "currentReplicas")),
                Column.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", spec -> {
            set(spec, "minReplicas", 1);
            set(spec, "targetCPUUtilizationPercentage", CPU_UTILIZATION_PERCENT);
        });
        rules.put("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec",
                HorizontalPodAutoscalerStrategy::addDefaults);
    }

    private static void addDefaults(ObjectNode spec) {
        set(spec, "minReplicas", 1);
        if (isEmpty(spec, "metrics")) {
            ObjectNode metric = spec.putArray("metrics").addObject().put("type", "Resource");
            metric.putObject("resource").put("name", "cpu").putObject("target").put("type", "Utilization")
                    .put("averageUtilization", CPU_UTILIZATION_PERCENT);
        }
        if (spec.get("behavior") instanceof ObjectNode behavior) {
            ObjectNode up = Json.child(behavior, "scaleUp");
            set(up, "stabilizationWindowSeconds", 0);
            set(up, "selectPolicy", "Max");
            if (isEmpty(up, "policies")) {
                policy(policy(up.putArray("policies"), "Pods", 4), "Percent", 100);
            }
            ObjectNode down = Json.child(behavior, "scaleDown");
            set(down, "selectPolicy", "Max");
            if (isEmpty(down, "policies")) {
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

    @Override
    protected void validate(ObjectNode autoscaler, Problems problems) {
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
            problems.formed("spec.scaleTargetRef." + field, Json.text(target, field), Formats::pathSegment);
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

    @Override
    public boolean isConverted(ResourceType type) {
        return type.version().equals("v1");
    }

    @Override
    public void toStored(ResourceType type, ObjectNode object) {
        if (!isConverted(type)) {
            return;
        }
        object.put("apiVersion", "autoscaling/v2");
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        fromAnnotation(object, "metrics", spec, "metrics");
        fromAnnotation(object, "behavior", spec, "behavior");
        fromAnnotation(object, "current-metrics", status, "currentMetrics");
        fromAnnotation(object, "conditions", status, "conditions");
        JsonNode target = spec.remove("targetCPUUtilizationPercentage");
        if (target != null) {
            list(spec, "metrics").insert(0, cpu("target"));
            ObjectNode value = (ObjectNode) spec.path("metrics").path(0).path("resource").path("target");
            value.put("type", "Utilization").set("averageUtilization", target);
        }
        JsonNode current = status.remove("currentCPUUtilizationPercentage");
        if (current != null) {
            list(status, "currentMetrics").insert(0, cpu("current"));
            ((ObjectNode) status.path("currentMetrics").path(0).path("resource").path("current"))
                    .set("averageUtilization", current);
        }
    }

    @Override
    public void toVersion(ResourceType type, ObjectNode object) {
        if (!isConverted(type)) {
            return;
        }
        object.put("apiVersion", "autoscaling/v1");
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        take(spec, "metrics", "target", "targetCPUUtilizationPercentage");
        take(status, "currentMetrics", "current", "currentCPUUtilizationPercentage");
        toAnnotation(object, "metrics", spec, "metrics");
        toAnnotation(object, "behavior", spec, "behavior");
        toAnnotation(object, "current-metrics", status, "currentMetrics");
        toAnnotation(object, "conditions", status, "conditions");
    }

    /** Moves the CPU's utilization out of a list of metrics into a field. */
    private static void take(ObjectNode part, String list, String value, String field) {
        if (!(part.get(list) instanceof ArrayNode metrics)) {
            return;
        }
        for (int i = 0; i < metrics.size(); i++) {
            JsonNode resource = metrics.get(i).path("resource");
            JsonNode utilization = Json.at(resource, value, "averageUtilization");
            if (Json.text(metrics.get(i), "type").equals("Resource") && Json.text(resource, "name").equals("cpu")
                    && utilization != null) {
                part.set(field, utilization);
                metrics.remove(i);
                break;
            }
        }
        if (metrics.isEmpty()) {
            part.remove(list);
        }
    }

    private static ObjectNode cpu(String value) {
        ObjectNode metric = Json.object().put("type", "Resource");
        metric.putObject("resource").put("name", "cpu").putObject(value);
        return metric;
    }

    private static ArrayNode list(ObjectNode part, String field) {
        return part.get(field) instanceof ArrayNode present ? present : part.putArray(field);
    }

    private static void fromAnnotation(ObjectNode object, String name, ObjectNode part, String field) {
        if (!(Json.at(object, "metadata", "annotations") instanceof ObjectNode annotations)) {
            return;
        }
        JsonNode text = annotations.remove(ANNOTATION + name);
        JsonNode value = text == null ? null : parsed(text.asString(""));
        if (value != null) {
            part.set(field, value);
        }
        if (annotations.isEmpty()) {
            Meta.of(object).remove(List.of("annotations"));
        }
    }

    private static @Nullable JsonNode parsed(String text) {
        try {
            JsonNode value = Json.read(text);
            return value.isContainer() ? value : null;
        } catch (JacksonException e) {
            return null; // The annotation is not from this server, and the other fields hold.
        }
    }

    private static void toAnnotation(ObjectNode object, String name, ObjectNode part, String field) {
        JsonNode value = part.remove(field);
        if (value != null && !value.isEmpty()) {
            Json.child(Meta.of(object), "annotations").put(ANNOTATION + name, value.toString());
        }
    }
}
