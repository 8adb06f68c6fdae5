package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * API services: the group versions that the server serves itself or by a Service (upstream:
 * {@code kube-aggregator/pkg/registry/apiservice}).
 */
final class APIServiceStrategy extends Strategy {
    APIServiceStrategy() {
        super("apiregistration.k8s.io", "APIService", Set.of(Trait.UPDATED_BY_VERSION), TableColumn.objectName(),
                TableColumn.of("Service", "Service that serves the group version, or Local.",
                        o -> o.has("spec", "service")
                                ? o.text("spec", "service", "namespace") + "/" + o.text("spec", "service", "name")
                                : "Local"),
                TableColumn.of("Available", "Whether the group version can be used.", APIServiceStrategy::available),
                TableColumn.age());
    }

    private static String available(Item service) {
        Item condition = service.ofType("Available", "status", "conditions");
        return switch (condition.text("status")) {
            case "" -> "Unknown";
            case "True" -> "True";
            default -> condition.text("status") + " (" + condition.text("reason") + ")";
        };
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        CertificateSigningRequestStrategy.conditions(object.path("status"), problems);
    }
}
