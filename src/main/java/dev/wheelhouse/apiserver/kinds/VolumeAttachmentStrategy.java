package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;

/** Volume attachments, whose specification is immutable (upstream: {@code pkg/registry/storage/volumeattachment}). */
final class VolumeAttachmentStrategy extends Strategy {
    VolumeAttachmentStrategy() {
        super("storage.k8s.io", "VolumeAttachment");
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("attached", false);
    }
}
