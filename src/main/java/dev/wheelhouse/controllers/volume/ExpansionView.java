package dev.wheelhouse.controllers.volume;

import java.time.Instant;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

/**
 * The input of a decision about a claim that may have to grow.
 *
 * @param volume the volume that is bound to the claim
 * @param begun whether this sync has marked the claim as growing
 */
record ExpansionView(V1PersistentVolumeClaim claim, V1PersistentVolume volume, boolean begun, Instant now) {
    /** The view after a write of the claim or the volume. */
    ExpansionView after(KubernetesObject written) {
        return switch (written) {
            case V1PersistentVolumeClaim newer -> new ExpansionView(newer, volume, true, now);
            case V1PersistentVolume newer -> new ExpansionView(claim, newer, begun, now);
            default -> this;
        };
    }
}
