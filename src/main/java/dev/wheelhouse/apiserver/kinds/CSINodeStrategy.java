package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** CSI nodes (upstream: {@code pkg/registry/storage/csinode}). */
final class CSINodeStrategy extends Strategy {
    CSINodeStrategy() {
        super("storage.k8s.io", "CSINode");
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        StorageValidation.csiNode(object, problems);
    }
}
