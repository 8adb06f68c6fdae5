package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Priority classes. Names with the prefix {@code system-} are reserved for two classes with fixed values (upstream:
 * {@code pkg/registry/scheduling/priorityclass}).
 */
final class PriorityClassStrategy extends Strategy {
    private static final Map<String, Long> SYSTEM = Map.of("system-cluster-critical", 2_000_000_000L,
            "system-node-critical", 2_000_001_000L);
    private static final long HIGHEST_OF_USERS = 1_000_000_000;

    PriorityClassStrategy() {
        super("scheduling.k8s.io", "PriorityClass", TableColumn.objectName(),
                TableColumn.integer("Value", "The priority: the greater, the more important.", o -> o.number("value")),
                TableColumn.bool("Global-Default", "Whether pods without a class get this one.",
                        o -> o.flag("globalDefault")),
                TableColumn.age(),
                TableColumn.of("PreemptionPolicy", "Whether its pods may push others out.",
                        o -> o.text("preemptionPolicy")));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.scheduling.v1.PriorityClass", c -> set(c, "preemptionPolicy", "PreemptLowerPriority"));
    }

    @Override
    protected void validate(ObjectNode priorityClass, Problems problems) {
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

    @Override
    protected void validateUpdate(ObjectNode priorityClass, ObjectNode old, Problems problems) {
        if (Json.number(priorityClass, 0, "value") != Json.number(old, 0, "value")) {
            problems.forbidden("value", "may not be changed in an update.");
        }
        problems.immutable("preemptionPolicy", priorityClass.get("preemptionPolicy"), old.get("preemptionPolicy"));
    }
}
