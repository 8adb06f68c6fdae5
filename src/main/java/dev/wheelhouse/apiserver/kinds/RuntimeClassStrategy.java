package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Runtime classes (upstream: {@code pkg/registry/node/runtimeclass}). */
final class RuntimeClassStrategy extends Strategy {
    RuntimeClassStrategy() {
        super("node.k8s.io", "RuntimeClass");
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
    protected void validate(ObjectNode object, Problems problems) {
        SchedulingValidation.runtimeClass(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        SchedulingValidation.runtimeClassUpdate(object, old, problems);
    }
}
