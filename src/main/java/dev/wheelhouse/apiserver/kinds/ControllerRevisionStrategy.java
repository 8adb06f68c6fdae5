package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Controller revisions (upstream: {@code pkg/registry/apps/controllerrevision}). */
final class ControllerRevisionStrategy extends Strategy {
    ControllerRevisionStrategy() {
        super("apps", "ControllerRevision");
    }

    @Override
    protected boolean countsGenerations() {
        return false;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        LimitsValidation.revision(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        LimitsValidation.revisionUpdate(object, old, problems);
    }
}
