package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.attach.AttachDetachController;
import dev.wheelhouse.controllers.volume.VolumeExpander;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers that attach volumes to nodes and let claims grow. */
final class AttachmentsFaults {
    /** An attached volume is detached again, although its pod runs. */
    private static final Defect DETACHED_UNDER_A_POD = Defects.decision(AttachDetachController.NAME,
            truth -> (key, actions) -> {
                List<V1VolumeAttachment> all = truth.list(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class)
                        .stream().filter(attachment -> attachment.getStatus() != null
                                && Boolean.TRUE.equals(attachment.getStatus().getAttached()))
                        .toList();
                return all.isEmpty()
                        ? actions
                        : List.of(new Action.Delete(AttachDetachController.ATTACHMENTS, ObjectKey.of(all.getFirst()),
                                Deletion.ofUid(all.getFirst().getMetadata().getUid()), "nobody asked its pods"));
            });

    /** A volume is given to another node when it is attached. */
    private static final Defect TWO_NODES = Defects.decision(AttachDetachController.NAME, truth -> (key, actions) -> {
        List<V1VolumeAttachment> all = truth.list(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class);
        if (all.isEmpty() || Defects.object(key).name().equals(all.getFirst().getSpec().getNodeName())) {
            return actions;
        }
        V1VolumeAttachment other = ModelJson.copy(all.getFirst());
        other.getMetadata().name("csi-other-" + Defects.object(key).name()).resourceVersion(null).uid(null);
        other.getSpec().setNodeName(Defects.object(key).name());
        return List.of(new Action.Create(AttachDetachController.ATTACHMENTS, other, "nobody asked who has it"));
    });

    /** A claim is asked to grow, although it has what it requests. */
    private static final Defect GROWS_WITHOUT_NEED = Defects.decision(VolumeExpander.NAME, truth -> (key, actions) -> {
        V1PersistentVolumeClaim claim = truth.get(ResourceType.PERSISTENT_VOLUME_CLAIMS,
                V1PersistentVolumeClaim.class, Defects.object(key).name());
        return claim == null
                ? actions
                : List.of(new Action.Patch(ResourceType.PERSISTENT_VOLUME_CLAIMS, Defects.object(key), "status", PatchType.MERGE, """
                        {"metadata": {"resourceVersion":"%s", "annotations": {"%s": "nobody"}}}"""
                        .formatted(claim.getMetadata().getResourceVersion(), ExpansionInvariants.RESIZER),
                        "nobody compared the sizes"));
    });

    private AttachmentsFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a volume that is detached under a pod", "the volume .* is taken from the pod",
                        DETACHED_UNDER_A_POD),
                new PlantedFault("a volume on two nodes", "the volume .* is attached to .*, and .* has it", TWO_NODES),
                new PlantedFault("a claim that grows without need", "the claim .* is asked to grow, and has",
                        GROWS_WITHOUT_NEED),
                new PlantedFault("a claim that nobody lets grow", "at the end the claim .* asks nobody",
                        Defects.idle(VolumeExpander.NAME)));
    }
}
