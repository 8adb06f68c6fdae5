package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Volume attachments (upstream: {@code pkg/registry/storage/volumeattachment}). */
final class VolumeAttachmentStrategy extends Strategy {
    VolumeAttachmentStrategy() {
        super("storage.k8s.io", "VolumeAttachment");
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
        StorageValidation.attachment(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        problems.immutable("spec", object.get("spec"), old.get("spec"));
    }
}
