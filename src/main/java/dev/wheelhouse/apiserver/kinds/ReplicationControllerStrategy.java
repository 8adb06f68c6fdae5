package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Replication controllers (upstream: {@code pkg/registry/core/replicationcontroller}). */
final class ReplicationControllerStrategy extends Strategy {
    ReplicationControllerStrategy() {
        super("", "ReplicationController");
    }

    @Override
    protected boolean countsGenerations() {
        return true;
    }

    @Override
    public boolean orphansByDefault() {
        return true;
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        WorkloadValidation.replicationController(object, problems);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("/ReplicationController", object, old, problems);
    }
}
