package dev.wheelhouse.controllers.volume;

import java.util.HashSet;
import java.util.Set;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.volumes.Volumes;

/** The claims that pods with a node use. They must not be deleted. A set that grows; not thread safe. */
final class ClaimsInUse {
    private final Set<String> shared = new HashSet<>();
    private final Set<String> ephemeral = new HashSet<>();

    /** Adds the claims of a pod. A pod without a node uses none: the scheduler refuses claims that are deleted. */
    void add(V1Pod pod) {
        String node = pod.getSpec().getNodeName();
        if (node == null || node.isEmpty() || pod.getSpec().getVolumes() == null) {
            return;
        }
        for (V1Volume volume : pod.getSpec().getVolumes()) {
            String claim = Volumes.claimOf(pod, volume);
            if (claim != null && volume.getPersistentVolumeClaim() != null) {
                shared.add(claim);
            } else if (claim != null && !isShutDown(pod)) {
                ephemeral.add(claim + "/" + pod.getMetadata().getUid());
            }
        }
    }

    /** Whether no process of a pod can run any more, although the pod still exists. */
    private static boolean isShutDown(V1Pod pod) {
        Long grace = pod.getMetadata().getDeletionGracePeriodSeconds();
        return pod.getMetadata().getDeletionTimestamp() != null && grace != null && grace == 0;
    }

    boolean contains(V1PersistentVolumeClaim claim) {
        String name = String.valueOf(claim.getMetadata().getName());
        var owner = OwnerReferences.controllerOf(claim.getMetadata());
        return shared.contains(name) || owner != null && ephemeral.contains(name + "/" + owner.getUid());
    }
}
