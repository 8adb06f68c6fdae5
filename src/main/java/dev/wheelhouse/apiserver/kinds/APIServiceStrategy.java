package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/**
 * API services: the group versions that the server serves itself or by a Service (upstream:
 * {@code kube-aggregator/pkg/registry/apiservice}).
 */
final class APIServiceStrategy extends Strategy {
    APIServiceStrategy() {
        super("apiregistration.k8s.io", "APIService", Map.of("available", APIServiceStrategy::available, "service",
                o -> o.has("spec", "service")
                        ? o.text("spec", "service", "namespace") + "/" + o.text("spec", "service", "name")
                        : "Local"));
    }

    private static String available(Item service) {
        Item condition = service.ofType("Available", "status", "conditions");
        return switch (condition.text("status")) {
            case "" -> "Unknown";
            case "True" -> "True";
            default -> condition.text("status") + " (" + condition.text("reason") + ")";
        };
    }
}
