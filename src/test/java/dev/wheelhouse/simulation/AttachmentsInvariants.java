package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.attach.AttachDetachController;

/**
 * By what the manager has read: no volume is taken from the node of a running pod that uses it, and none is given to a
 * node while another one has it.
 */
record AttachmentsInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (write.is("create", AttachDetachController.ATTACHMENTS)) {
            V1VolumeAttachment created = Objects.requireNonNull(write.object(V1VolumeAttachment.class));
            return write.read(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class).stream()
                    .filter(other -> volume(other).equals(volume(created)) && !node(other).equals(node(created)))
                    .map(other -> "the volume " + volume(created) + " is attached to " + node(created) + ", and "
                            + node(other) + " has it")
                    .toList();
        }
        if (!write.is("delete", AttachDetachController.ATTACHMENTS)) {
            return List.of();
        }
        V1VolumeAttachment deleted = write.read(AttachDetachController.ATTACHMENTS, V1VolumeAttachment.class,
                ObjectKey.cluster(write.request().key().name()));
        return deleted == null
                ? List.of()
                : write.read(ResourceType.PODS, V1Pod.class).stream()
                        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null && !Truth.isFinished(pod)
                                && node(deleted).equals(pod.getSpec().getNodeName()) && uses(pod, volume(deleted)))
                        .map(pod -> "the volume " + volume(deleted) + " is taken from the pod " + Truth.name(pod))
                        .toList();
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    private static String volume(V1VolumeAttachment attachment) {
        return String.valueOf(attachment.getSpec().getSource().getPersistentVolumeName());
    }

    private static String node(V1VolumeAttachment attachment) {
        return String.valueOf(attachment.getSpec().getNodeName());
    }

    private static boolean uses(V1Pod pod, String claim) {
        return pod.getSpec().getVolumes() != null && pod.getSpec().getVolumes().stream()
                .anyMatch(v -> v.getPersistentVolumeClaim() != null
                        && claim.equals(v.getPersistentVolumeClaim().getClaimName()));
    }
}
