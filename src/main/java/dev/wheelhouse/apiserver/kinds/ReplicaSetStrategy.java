package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Replica sets (upstream: {@code pkg/registry/apps/replicaset}). */
final class ReplicaSetStrategy extends Strategy {
    ReplicaSetStrategy() {
        super("apps", "ReplicaSet");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        WorkloadValidation.replicaSet(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        WorkloadValidation.replicaSet(object, problems);
        WorkloadValidation.selectorStays(object, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("apps/ReplicaSet", object, old, problems);
    }
}
