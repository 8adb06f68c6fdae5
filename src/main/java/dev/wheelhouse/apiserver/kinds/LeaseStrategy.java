package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;

/** Leases. Elections by strategy are off, as in a real server (upstream: {@code pkg/registry/coordination/lease}). */
final class LeaseStrategy extends Strategy {
    LeaseStrategy() {
        super("coordination.k8s.io", "Lease");
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
}
