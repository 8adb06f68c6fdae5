package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Volume attributes classes (upstream: {@code pkg/registry/storage/volumeattributesclass}). */
final class VolumeAttributesClassStrategy extends Strategy {
    VolumeAttributesClassStrategy() {
        super("storage.k8s.io", "VolumeAttributesClass");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        StorageValidation.attributesClass(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        StorageValidation.attributesClassUpdate(object, old, problems);
    }
}
