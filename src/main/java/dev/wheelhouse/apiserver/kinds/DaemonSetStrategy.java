package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Daemon sets (upstream: {@code pkg/registry/apps/daemonset}). */
final class DaemonSetStrategy extends Strategy {
    DaemonSetStrategy() {
        super("apps", "DaemonSet");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        WorkloadValidation.daemonSet(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        WorkloadValidation.daemonSet(object, problems);
        WorkloadValidation.selectorStays(object, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("apps/DaemonSet", object, old, problems);
    }
}
