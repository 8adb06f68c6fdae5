package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of the status of workloads, pods and namespaces (upstream: the {@code …StatusUpdate} validations). */
final class StatusValidation {
    private StatusValidation() {}

    static void update(String kind, ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode status = object.path("status");
        switch (kind) {
            case "certificates.k8s.io/CertificateSigningRequest", "apiregistration.k8s.io/APIService" ->
                conditions(status, problems);
            default -> {
                // no rules of its own
            }
        }
    }

    private static void conditions(JsonNode status, Problems problems) {
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String at = Problems.at("status.conditions", i++);
            String value = Json.text(condition, "status");
            if (!List.of("True", "False", "Unknown").contains(value)) {
                problems.notSupported(at + ".status", value, "False", "True", "Unknown");
            }
        }
    }
}
