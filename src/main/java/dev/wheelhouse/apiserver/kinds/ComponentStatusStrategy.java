package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.table.Item;

/**
 * The health of parts of the control plane, which is never stored (upstream:
 * {@code pkg/registry/core/componentstatus}).
 */
final class ComponentStatusStrategy extends Strategy {
    ComponentStatusStrategy() {
        super("", "ComponentStatus", Map.of("health", ComponentStatusStrategy::health));
    }

    @Override
    public String deprecation(ResourceType type) {
        return "v1 ComponentStatus is deprecated in v1.19+";
    }

    private static String health(Item component) {
        return switch (component.ofType("Healthy", "conditions").text("status")) {
            case "" -> "Unknown";
            case "True" -> "Healthy";
            default -> "Unhealthy";
        };
    }
}
