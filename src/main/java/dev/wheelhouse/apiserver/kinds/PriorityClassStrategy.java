package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Priority classes (upstream: {@code pkg/registry/scheduling/priorityclass}). */
final class PriorityClassStrategy extends Strategy {
    PriorityClassStrategy() {
        super("scheduling.k8s.io", "PriorityClass");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        SchedulingValidation.priorityClass(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        SchedulingValidation.priorityClassUpdate(object, old, problems);
    }
}
