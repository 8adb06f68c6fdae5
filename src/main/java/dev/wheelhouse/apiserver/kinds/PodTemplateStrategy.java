package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;

/** Pod templates (upstream: {@code pkg/registry/core/podtemplate}). */
final class PodTemplateStrategy extends Strategy {
    PodTemplateStrategy() {
        super("", "PodTemplate");
    }

    @Override
    protected boolean countsGenerations() {
        return true;
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        PodValidation.template(object.path("template"), "template", problems);
    }
}
