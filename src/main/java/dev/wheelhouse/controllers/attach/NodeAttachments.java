package dev.wheelhouse.controllers.attach;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1AttachedVolume;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;

import dev.wheelhouse.api.ObjectKey;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The input of a decision about the volumes of one node.
 *
 * @param name the name of the node
 * @param node null if the node is gone
 * @param inUse the volumes that the kubelet uses; null if that is unknown
 * @param wanted the volumes that pods of the node want
 * @param attachments the VolumeAttachments for the node by volume, as far as this controller is responsible for them
 * @param attempts the memory of the volumes by name
 * @param verifies whether reported volumes are compared with their VolumeAttachments now
 * @param forces whether a volume is detached from a node that is not ready some time after its last pod
 */
record NodeAttachments(String name, @Nullable V1Node node, @Nullable Set<String> inUse, List<Wanted> wanted,
        Map<Attachable, V1VolumeAttachment> attachments, Map<String, AttachState> attempts, boolean verifies,
        boolean forces, Instant now) {

    /**
     * A volume that pods want.
     *
     * @param pods the pods of this node
     * @param holders the other nodes that have the volume
     * @param otherPods the pods that want the volume on those nodes
     * @param busy whether the volume is being attached to another node
     */
    record Wanted(Attachable volume, List<V1Pod> pods, List<String> holders, List<ObjectKey> otherPods,
            boolean busy) {}

    /** The volumes that the node's status names as attached. */
    List<V1AttachedVolume> reported() {
        return node == null || node.getStatus() == null
                ? List.of()
                : orEmpty(node.getStatus().getVolumesAttached());
    }

    @Nullable
    V1VolumeAttachment attachment(Attachable volume) {
        return attachments.entrySet().stream().filter(entry -> entry.getKey().name().equals(volume.name()))
                .map(Map.Entry::getValue).findFirst().orElse(null);
    }
}
