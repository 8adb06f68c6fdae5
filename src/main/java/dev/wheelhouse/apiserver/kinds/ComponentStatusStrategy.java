package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;

/**
 * The health of parts of the control plane, which is never stored (upstream:
 * {@code pkg/registry/core/componentstatus}).
 */
final class ComponentStatusStrategy extends Strategy {
    ComponentStatusStrategy() {
        super("", "ComponentStatus", TableColumn.objectName(),
                TableColumn.of("Status", "Whether the component is healthy.", ComponentStatusStrategy::health),
                TableColumn.of("Message", "Message of the component.", o -> healthy(o).text("message")),
                TableColumn.of("Error", "Error of the last health check.", o -> healthy(o).text("error")));
    }

    @Override
    public String deprecation(ResourceType type) {
        return "v1 ComponentStatus is deprecated in v1.19+";
    }

    private static Item healthy(Item component) {
        return component.ofType("Healthy", "conditions");
    }

    private static String health(Item component) {
        return switch (healthy(component).text("status")) {
            case "" -> "Unknown";
            case "True" -> "Healthy";
            default -> "Unhealthy";
        };
    }
}
