package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/**
 * The health of parts of the control plane, which is never stored (upstream:
 * {@code pkg/registry/core/componentstatus}).
 */
final class ComponentStatusStrategy extends Strategy {
    ComponentStatusStrategy() {
        super("", "ComponentStatus", Map.of("health", ComponentStatusStrategy::health));
    }

    private static String health(Item component) {
        return switch (component.ofType("Healthy", "conditions").text("status")) {
            case "" -> "Unknown";
            case "True" -> "Healthy";
            default -> "Unhealthy";
        };
    }
}
