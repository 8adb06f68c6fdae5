package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.table.TableColumn;

/** Volume attachments, whose specification is immutable (upstream: {@code pkg/registry/storage/volumeattachment}). */
final class VolumeAttachmentStrategy extends Strategy {
    VolumeAttachmentStrategy() {
        super("storage.k8s.io", "VolumeAttachment", Set.of(Trait.UPDATED_BY_VERSION, Trait.RETURNS_DELETED),
                TableColumn.objectName(),
                TableColumn.of("Attacher", "Driver that attaches the volume.", o -> o.text("spec", "attacher"))
                        .format("name"),
                TableColumn.of("PV", "Volume to attach.", o -> o.text("spec", "source", "persistentVolumeName")),
                TableColumn.of("Node", "Node to attach it to.", o -> o.text("spec", "nodeName")),
                TableColumn.bool("Attached", "Whether it is attached.", o -> o.flag("status", "attached")),
                TableColumn.age());
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("attached", false);
    }
}
