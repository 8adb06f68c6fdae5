package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Pod templates (upstream: {@code pkg/registry/core/podtemplate}). */
final class PodTemplateStrategy extends Strategy {
    private static final List<Column> COLUMNS = List.of(Column.objectName(), Containers.names("template"),
            Containers.images("template"),
            Column.of("Pod Labels", "Labels of the template's pods.", o -> o.labels("template", "metadata", "labels")));

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
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        PodValidation.template(object.path("template"), "template", problems);
    }
}
