package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** CSI storage capacities (upstream: {@code pkg/registry/storage/csistoragecapacity}). */
final class CSIStorageCapacityStrategy extends Strategy {
    CSIStorageCapacityStrategy() {
        super("storage.k8s.io", "CSIStorageCapacity");
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        StorageValidation.capacity(object, problems);
    }
}
