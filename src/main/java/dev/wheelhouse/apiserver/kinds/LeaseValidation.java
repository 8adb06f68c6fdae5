package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of leases (upstream: {@code pkg/apis/coordination/validation}). */
final class LeaseValidation {
    private LeaseValidation() {}

    static void lease(ObjectNode lease, Problems problems) {
        JsonNode spec = lease.path("spec");
        long duration = Json.number(spec, 1, "leaseDurationSeconds");
        if (duration <= 0) {
            problems.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
        }
        problems.nonNegative(spec, "spec", "leaseTransitions");
    }
}
