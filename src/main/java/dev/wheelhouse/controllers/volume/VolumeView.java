package dev.wheelhouse.controllers.volume;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

/**
 * The input of a decision about one volume.
 *
 * @param claim the claim of the name that the volume refers to, whatever its UID; null if there is none
 * @param recycling the work of emptying the volume
 */
record VolumeView(V1PersistentVolume volume, @Nullable V1PersistentVolumeClaim claim, Recycler.Work recycling) {
    /** The view after a write of the volume. */
    VolumeView after(KubernetesObject written) {
        return written instanceof V1PersistentVolume newer ? new VolumeView(newer, claim, recycling) : this;
    }
}
