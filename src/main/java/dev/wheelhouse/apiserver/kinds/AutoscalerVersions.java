package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;

/**
 * HorizontalPodAutoscalers are stored as autoscaling/v2. Version 1 has the target of the CPU as a number of its own, and keeps
 * what it has no field for in annotations (upstream: {@code pkg/apis/autoscaling/v1/conversion.go}).
 */
final class AutoscalerVersions {
    private static final String ANNOTATION = "autoscaling.alpha.kubernetes.io/";

    private AutoscalerVersions() {}

    static boolean differ(ResourceType type) {
        return type.plural().equals("horizontalpodautoscalers") && type.apiVersion().equals("autoscaling/v1");
    }

    static void toStored(ObjectNode object) {
        object.put("apiVersion", "autoscaling/v2");
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        fromAnnotation(object, "metrics", spec, "metrics");
        fromAnnotation(object, "behavior", spec, "behavior");
        fromAnnotation(object, "current-metrics", status, "currentMetrics");
        fromAnnotation(object, "conditions", status, "conditions");
        JsonNode target = spec.remove("targetCPUUtilizationPercentage");
        if (target != null) {
            list(spec, "metrics").insert(0, cpu("target").deepCopy());
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

    static void toRequested(ObjectNode object) {
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
            return null; // A client's own note under our name: the metrics stay as the other fields say.
        }
    }

    private static void toAnnotation(ObjectNode object, String name, ObjectNode part, String field) {
        JsonNode value = part.remove(field);
        if (value != null && !value.isEmpty()) {
            Json.child(Meta.of(object), "annotations").put(ANNOTATION + name, value.toString());
        }
    }
}
