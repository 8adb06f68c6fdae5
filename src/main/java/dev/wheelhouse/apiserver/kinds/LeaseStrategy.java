package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

/** Leases. Elections by strategy are off, as in a real server (upstream: {@code pkg/registry/coordination/lease}). */
final class LeaseStrategy extends Strategy {
    LeaseStrategy() {
        super("coordination.k8s.io", "Lease", Set.of(Trait.CREATED_BY_UPDATE, Trait.UPDATED_BY_VERSION),
                TableColumn.objectName(),
                TableColumn.of("Holder", "Holder of the lease.", o -> o.text("spec", "holderIdentity")),
                TableColumn.age());
    }

    @Override
    protected void create(ObjectNode lease, User writer, ClusterState state) {
        withoutStrategy(lease);
    }

    @Override
    protected void update(ObjectNode lease, ObjectNode old, ClusterState state) {
        withoutStrategy(lease);
    }

    private static void withoutStrategy(ObjectNode lease) {
        Json.child(lease, "spec").remove(List.of("strategy", "preferredHolder"));
    }

    @Override
    protected void validate(ObjectNode lease, Problems problems) {
        JsonNode spec = lease.path("spec");
        long duration = Json.number(spec, 1, "leaseDurationSeconds");
        if (duration <= 0) {
            problems.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
        }
        problems.nonNegative(spec, "spec", "leaseTransitions");
    }
}
