package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.table.Column;

/** Volume attachments, whose specification is immutable (upstream: {@code pkg/registry/storage/volumeattachment}). */
final class VolumeAttachmentStrategy extends Strategy {
    VolumeAttachmentStrategy() {
        super("storage.k8s.io", "VolumeAttachment", Set.of(Trait.UPDATED_BY_VERSION, Trait.RETURNS_DELETED),
                Column.objectName(),
                Column.of("Attacher", "Driver that attaches the volume.", o -> o.text("spec", "attacher"))
                        .format("name"),
                Column.of("PV", "Volume to attach.", o -> o.text("spec", "source", "persistentVolumeName")),
                Column.of("Node", "Node to attach it to.", o -> o.text("spec", "nodeName")),
                Column.bool("Attached", "Whether it is attached.", o -> o.flag("status", "attached")),
                Column.age());
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("attached", false);
    }
}
