package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/** The defaults of horizontal pod autoscalers (upstream: {@code pkg/apis/autoscaling/v2/defaults.go}). */
final class AutoscalingDefaults {
    private static final int CPU_UTILIZATION_PERCENT = 80;

    private AutoscalingDefaults() {}

    static void addTo(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", spec -> {
            set(spec, "minReplicas", 1);
            set(spec, "targetCPUUtilizationPercentage", CPU_UTILIZATION_PERCENT);
        });
        rules.put("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", AutoscalingDefaults::spec);
    }

    private static void spec(ObjectNode spec) {
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
}
