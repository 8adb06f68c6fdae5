package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;

/** Pod templates (upstream: {@code pkg/registry/core/podtemplate}). */
final class PodTemplateStrategy extends Strategy {
    PodTemplateStrategy() {
        super("", "PodTemplate", Set.of(Trait.COUNTS_GENERATIONS, Trait.RETURNS_DELETED), TableColumn.objectName(),
                Containers.names("template"),
                Containers.images("template"),
                TableColumn.of("Pod Labels", "Labels of the template's pods.",
                        o -> o.labels("template", "metadata", "labels")));
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        PodValidation.template(object.path("template"), "template", problems);
    }
}
