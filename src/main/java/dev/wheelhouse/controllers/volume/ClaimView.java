package dev.wheelhouse.controllers.volume;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;

/**
 * The input of a decision about one claim.
 *
 * @param volumes the volume that the claim names, those that refer to the claim, and the free ones of its class
 * @param storageClass the claim's class; null if it does not exist
 * @param defaultClass the default class, if the claim has no class; null if there is none
 * @param waitingPods the names of the pods that use the claim and have no node yet
 * @param selectedNodeExists whether the node exists that the scheduler has chosen for the claim
 * @param provisions whether provisioners are asked for volumes
 * @param provisionsOnHostPaths whether volumes on host paths are made
 */
record ClaimView(V1PersistentVolumeClaim claim, List<V1PersistentVolume> volumes,
        @Nullable V1StorageClass storageClass, @Nullable V1StorageClass defaultClass, List<String> waitingPods,
        boolean selectedNodeExists, boolean provisions, boolean provisionsOnHostPaths) {

    /** The volume that the claim names; null if it does not exist. */
    @Nullable
    V1PersistentVolume named() {
        String name = claim.getSpec().getVolumeName();
        return volumes.stream().filter(volume -> String.valueOf(volume.getMetadata().getName()).equals(name))
                .findFirst().orElse(null);
    }

    /** The view after a write of the claim or of one of the volumes. */
    ClaimView after(KubernetesObject written) {
        if (written instanceof V1PersistentVolumeClaim newer) {
            return new ClaimView(newer, volumes, storageClass, defaultClass, waitingPods, selectedNodeExists,
                    provisions, provisionsOnHostPaths);
        }
        List<V1PersistentVolume> newer = volumes.stream()
                .map(volume -> written instanceof V1PersistentVolume changed
                        && String.valueOf(changed.getMetadata().getName()).equals(volume.getMetadata().getName())
                                ? changed
                                : volume)
                .toList();
        return new ClaimView(claim, newer, storageClass, defaultClass, waitingPods, selectedNodeExists, provisions,
                provisionsOnHostPaths);
    }
}
