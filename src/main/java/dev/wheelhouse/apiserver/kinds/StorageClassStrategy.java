package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Storage classes (upstream: {@code pkg/registry/storage/storageclass}). */
final class StorageClassStrategy extends Strategy {
    StorageClassStrategy() {
        super("storage.k8s.io", "StorageClass");
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        StorageValidation.storageClass(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        ClusterValidation.storageClassUpdate(object, old, problems);
    }
}
