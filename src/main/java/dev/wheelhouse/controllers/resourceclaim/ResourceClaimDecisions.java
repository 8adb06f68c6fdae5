package dev.wheelhouse.controllers.resourceclaim;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

/** Decides which consumers a claim loses, and when it is deallocated and deleted (upstream: {@code syncClaim}). */
final class ResourceClaimDecisions {
    /** The scheduler protects each claim that it allocates. */
    static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    private ResourceClaimDecisions() {}

    /** The next write; null if nothing is left to do. A pure function. */
    static Action.@Nullable Write decide(ResourceClaimView view) {
        ResourceV1ResourceClaim claim = view.claim();
        List<V1ResourceClaimConsumerReference> remaining = view.remaining();
        boolean kept = Metadata.finalizers(claim).contains(FINALIZER);
        boolean unwanted = PodClaims.isDeleting(claim) && remaining.isEmpty();
        if (remaining.size() < PodClaims.consumers(claim).size()) {
            ResourceV1ResourceClaim other = ModelJson.copy(claim);
            Objects.requireNonNull(other.getStatus()).setReservedFor(remaining.isEmpty() ? null : remaining);
            if (remaining.isEmpty() && kept) {
                other.getStatus().setAllocation(null);
            }
            return status(other, "pods that it was reserved for need it no more");
        }
        if (kept && unwanted && PodClaims.isAllocated(claim)) {
            ResourceV1ResourceClaim other = ModelJson.copy(claim);
            Objects.requireNonNull(other.getStatus()).setAllocation(null);
            return status(other, "it is being deleted and not in use");
        }
        if (kept && !PodClaims.isAllocated(claim) && (view.released() || unwanted)) {
            ResourceV1ResourceClaim other = ModelJson.copy(claim);
            other.getMetadata()
                    .setFinalizers(Metadata.finalizers(claim).stream().filter(f -> !f.equals(FINALIZER)).toList());
            return new Action.Update(ResourceClaimController.CLAIMS, other, "it is not allocated");
        }
        return remaining.isEmpty() && isUseless(claim, view.owner()) ? deletion(claim) : null;
    }

    /** Whether the claim was made for a pod that has ended or has been replaced. */
    private static boolean isUseless(ResourceV1ResourceClaim claim, @Nullable V1Pod pod) {
        V1OwnerReference owner = PodClaims.owner(claim);
        return owner != null && pod != null
                && (!owner.getUid().equals(pod.getMetadata().getUid()) || PodClaims.isDone(pod));
    }

    private static Action.Write deletion(ResourceV1ResourceClaim claim) {
        V1ObjectMeta meta = claim.getMetadata();
        return new Action.Delete(ResourceClaimController.CLAIMS, ObjectKey.of(claim),
                new Deletion(null, meta.getUid(), meta.getResourceVersion(), null),
                "the pod that it was made for needs it no more");
    }

    private static Action.Write status(ResourceV1ResourceClaim claim, String why) {
        return new Action.UpdateStatus(ResourceClaimController.CLAIMS, claim, why);
    }
}
