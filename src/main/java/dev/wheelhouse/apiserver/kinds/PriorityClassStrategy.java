package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Priority classes. Names with the prefix {@code system-} are reserved for two classes with fixed values (upstream:
 * {@code pkg/registry/scheduling/priorityclass}).
 */
final class PriorityClassStrategy extends Strategy {
    private static final Map<String, Long> SYSTEM = Map.of("system-cluster-critical", 2_000_000_000L,
            "system-node-critical", 2_000_001_000L);
    private static final long HIGHEST_OF_USERS = 1_000_000_000;

    PriorityClassStrategy() {
        super("scheduling.k8s.io", "PriorityClass");
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

    static void reservedPriority(Subject priorityClass) {
        String name = Json.text(priorityClass.value(), "metadata", "name");
        long value = Json.number(priorityClass.value(), 0, "value");
        if (name.startsWith("system-")) {
            String error = systemError(name, value, priorityClass.value().path("globalDefault").asBoolean(false));
            if (!error.isEmpty()) {
                priorityClass.problems().forbidden("metadata.name", "priority class names with 'system-' prefix are "
                        + "reserved for system use only. error: " + error);
            }
        } else if (value > HIGHEST_OF_USERS) {
            priorityClass.problems().forbidden("value",
                    "maximum allowed value of a user defined priority is " + HIGHEST_OF_USERS);
        }
    }
}
