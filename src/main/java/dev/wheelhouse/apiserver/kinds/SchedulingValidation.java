package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of priority and runtime classes (upstream: {@code pkg/apis/scheduling/validation}, {@code pkg/apis/node/validation}). */
final class SchedulingValidation {
    private static final Map<String, Long> SYSTEM = Map.of("system-cluster-critical", 2_000_000_000L,
            "system-node-critical", 2_000_001_000L);
    private static final long HIGHEST_OF_USERS = 1_000_000_000;

    private SchedulingValidation() {}

    static void priorityClass(ObjectNode priorityClass, Problems problems) {
        String name = Json.text(priorityClass, "metadata", "name");
        long value = Json.number(priorityClass, 0, "value");
        if (name.startsWith("system-")) {
            String error = systemError(name, value, priorityClass.path("globalDefault").asBoolean(false));
            if (!error.isEmpty()) {
                problems.forbidden("metadata.name", "priority class names with 'system-' prefix are reserved for system"
                        + " use only. error: " + error);
            }
        } else if (value > HIGHEST_OF_USERS) {
            problems.forbidden("value", "maximum allowed value of a user defined priority is " + HIGHEST_OF_USERS);
        }
        if (priorityClass.has("preemptionPolicy")) {
            problems.oneOf("preemptionPolicy", Json.text(priorityClass, "preemptionPolicy"), "PreemptLowerPriority",
                    "Never");
        }
    }

    private static String systemError(String name, long value, boolean globalDefault) {
        Long known = SYSTEM.get(name);
        if (known == null) {
            return name + " is not a known system priority class";
        }
        if (known != value) {
            return "value of " + name + " PriorityClass must be " + known;
        }
        return globalDefault ? "globalDefault of " + name + " PriorityClass must be false" : "";
    }

    static void priorityClassUpdate(ObjectNode priorityClass, ObjectNode old, Problems problems) {
        if (Json.number(priorityClass, 0, "value") != Json.number(old, 0, "value")) {
            problems.forbidden("value", "may not be changed in an update.");
        }
        problems.immutable("preemptionPolicy", priorityClass.get("preemptionPolicy"), old.get("preemptionPolicy"));
    }

    static void runtimeClass(ObjectNode runtimeClass, Problems problems) {
        JsonNode scheduling = runtimeClass.path("scheduling");
        MetadataValidation.labels(scheduling.get("nodeSelector"), "scheduling.nodeSelector", problems);
        PodValidation.tolerations(scheduling.path("tolerations"), "scheduling.tolerations", problems);
        Set<JsonNode> seen = new HashSet<>();
        int i = 0;
        for (JsonNode toleration : scheduling.path("tolerations")) {
            String at = Problems.at("scheduling.tolerations", i++);
            if (!seen.add(toleration)) {
                problems.duplicate(at, toleration.toString());
            }
        }
        String handler = Json.text(runtimeClass, "handler");
        if (handler.isEmpty()) {
            problems.required("handler");
        } else {
            problems.invalid("handler", handler, Formats.dnsLabel(handler));
        }
    }

    static void runtimeClassUpdate(ObjectNode runtimeClass, ObjectNode old, Problems problems) {
        problems.immutable("handler", runtimeClass.get("handler"), old.get("handler"));
    }
}
