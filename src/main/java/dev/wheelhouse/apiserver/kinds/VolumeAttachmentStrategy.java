package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.VolumeValidation;

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

    @Override
    protected void validate(ObjectNode attachment, Problems problems) {
        JsonNode spec = attachment.path("spec");
        VolumeValidation.driverName(Json.text(spec, "attacher"), "spec.attacher", problems);
        JsonNode source = spec.path("source");
        boolean named = source.has("persistentVolumeName");
        if (named == source.has("inlineVolumeSpec")) {
            String why = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
            if (named) {
                problems.forbidden("spec.source", why);
            } else {
                problems.required("spec.source", why);
            }
        } else if (named && Json.text(source, "persistentVolumeName").isEmpty()) {
            problems.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
        }
        String node = Json.text(spec, "nodeName");
        problems.invalid("spec.nodeName", node, Formats.dnsSubdomain(node));
        if (named) {
            String volume = Json.text(source, "persistentVolumeName");
            problems.invalid("spec.source.persistentVolumeName", volume, Formats.dnsSubdomain(volume));
        }
    }

    @Override
    protected void validateUpdate(ObjectNode attachment, ObjectNode old, Problems problems) {
        problems.immutable("spec", attachment.get("spec"), old.get("spec"));
    }
}
