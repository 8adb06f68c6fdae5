package dev.wheelhouse.apiserver.schema;

import java.math.BigDecimal;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/** The quality-of-service class of a pod (upstream: {@code pkg/apis/core/helper/qos}). */
public final class QosClass {
    private QosClass() {}

    /** {@code Guaranteed}, {@code Burstable} or {@code BestEffort}. @param spec a pod's, defaulted */
    public static String of(ObjectNode spec) {
        if (Json.at(spec, "resources") instanceof ObjectNode resources && !resources.isEmpty()) {
            return says(resources) ? isFixed(resources) ? "Guaranteed" : "Burstable" : "BestEffort";
        }
        boolean any = false;
        boolean fixed = true;
        for (String list : new String[]{"containers", "initContainers"}) {
            for (JsonNode container : spec.path(list)) {
                JsonNode resources = container.path("resources");
                any |= says(resources);
                fixed &= isFixed(resources);
            }
        }
        return !any ? "BestEffort" : fixed ? "Guaranteed" : "Burstable";
    }

    private static boolean says(JsonNode resources) {
        for (String list : new String[]{"requests", "limits"}) {
            for (String name : new String[]{"cpu", "memory"}) {
                if (value(resources, list, name).signum() != 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isFixed(JsonNode resources) {
        for (String name : new String[]{"cpu", "memory"}) {
            BigDecimal limit = value(resources, "limits", name);
            if (limit.signum() == 0 || limit.compareTo(value(resources, "requests", name)) != 0) {
                return false;
            }
        }
        return true;
    }

    private static BigDecimal value(JsonNode resources, String list, String name) {
        BigDecimal value = Quantities.parse(Json.text(resources, list, name));
        return value == null ? BigDecimal.ZERO : value;
    }
}
