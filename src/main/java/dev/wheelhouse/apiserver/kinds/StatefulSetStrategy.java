package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Stateful sets (upstream: {@code pkg/registry/apps/statefulset}). */
final class StatefulSetStrategy extends Strategy {
    StatefulSetStrategy() {
        super("apps", "StatefulSet");
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.dnsLabel(name);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        WorkloadValidation.statefulSet(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        WorkloadValidation.statefulSetUpdate(object, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("apps/StatefulSet", object, old, problems);
    }
}
