package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.TableColumn;

/** The CSI drivers of a node (upstream: {@code pkg/registry/storage/csinode}). */
final class CSINodeStrategy extends Strategy {
    CSINodeStrategy() {
        super("storage.k8s.io", "CSINode", Set.of(Trait.UPDATED_BY_VERSION, Trait.RETURNS_DELETED),
                TableColumn.objectName(),
                TableColumn.integer("Drivers", "How many drivers the node has.", o -> o.size("spec", "drivers")),
                TableColumn.age());
    }
}
