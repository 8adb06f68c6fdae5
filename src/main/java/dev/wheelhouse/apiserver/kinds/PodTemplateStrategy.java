package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Containers;

/** Pod templates (upstream: {@code pkg/registry/core/podtemplate}). */
final class PodTemplateStrategy extends Strategy {
    PodTemplateStrategy() {
        super("", "PodTemplate", Set.of(Trait.COUNTS_GENERATIONS, Trait.RETURNS_DELETED), Column.objectName(),
                Containers.names("template"),
                Containers.images("template"),
                Column.of("Pod Labels", "Labels of the template's pods.",
                        o -> o.labels("template", "metadata", "labels")));
    }
}
