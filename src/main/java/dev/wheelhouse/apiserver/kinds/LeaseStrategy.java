package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/** Leases (upstream: {@code pkg/registry/coordination/lease}). */
final class LeaseStrategy extends Strategy {
    LeaseStrategy() {
        super("coordination.k8s.io", "Lease");
    }

    @Override
    public boolean allowsCreateOnUpdate() {
        return true;
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        withoutStrategy(object);
    }

    @Override
    protected void update(ObjectNode object, ObjectNode old, ClusterState state) {
        withoutStrategy(object);
    }

    /** Elections by strategy are off, as they are in a real server that is not told otherwise. */
    private static void withoutStrategy(ObjectNode lease) {
        Json.child(lease, "spec").remove(List.of("strategy", "preferredHolder"));
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        LeaseValidation.lease(object, problems);
    }
}
