package dev.wheelhouse.controllers.resourceclaim;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;

/**
 * A claim and its pods. A pure value.
 *
 * @param gone the UIDs of the pods among its consumers that need it no more
 * @param owner the pod of the owner's name, of which the claim is; null if the cache has none
 * @param released whether this sync has removed consumers
 */
record ResourceClaimView(ResourceV1ResourceClaim claim, Set<String> gone, @Nullable V1Pod owner, boolean released) {
    /** The consumers that still need the claim. */
    List<V1ResourceClaimConsumerReference> remaining() {
        return PodClaims.consumers(claim).stream().filter(consumer -> !gone.contains(consumer.getUid())).toList();
    }

    /** The view after a write of this sync. */
    ResourceClaimView after(ResourceV1ResourceClaim written) {
        return new ResourceClaimView(written, gone, owner,
                released || PodClaims.consumers(written).size() < PodClaims.consumers(claim).size());
    }
}
