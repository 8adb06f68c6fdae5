package dev.wheelhouse.simulation;

import java.util.List;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;

/**
 * A claim stays reserved for each pod that runs or will run. A pod gets no second claim from a template while it has
 * one. No pod is evicted whose claim tolerates the taint of the device.
 */
record DeviceInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (write.controller().equals(DeviceTaintEvictionController.NAME) && write.is("delete", ResourceType.PODS)) {
            V1Pod pod = truth.pod(write.request().key());
            return pod == null || pod.getSpec().getResourceClaims().getFirst().getResourceClaimName() == null
                    ? List.of()
                    : List.of("the pod " + Truth.name(pod) + " is evicted, and its claim tolerates the taint");
        }
        ResourceV1ResourceClaim written = write.object(ResourceV1ResourceClaim.class);
        if (written == null || !write.controller().equals(ResourceClaimController.NAME)) {
            return List.of();
        }
        return write.is("create", ResourceClaimController.CLAIMS) ? second(written) : released(written);
    }

    private List<ResourceV1ResourceClaim> claims() {
        return truth.list(ResourceClaimController.CLAIMS, ResourceV1ResourceClaim.class);
    }

    private List<String> second(ResourceV1ResourceClaim created) {
        return truth.pods().stream().filter(pod -> Truth.owns(pod, created))
                .filter(pod -> claims().stream().anyMatch(claim -> Truth.owns(pod, claim)
                        && claim.getMetadata().getDeletionTimestamp() == null))
                .map(pod -> "the pod " + Truth.name(pod) + " gets a second claim").toList();
    }

    private List<String> released(ResourceV1ResourceClaim written) {
        return claims().stream().filter(claim -> Truth.uid(claim).equals(Truth.uid(written)))
                .flatMap(DeviceInvariants::consumers)
                .filter(uid -> consumers(written).noneMatch(uid::equals))
                .flatMap(uid -> truth.pods().stream().filter(pod -> Truth.uid(pod).equals(uid)))
                .filter(pod -> !Truth.isFinished(pod) && !isDeletedUnscheduled(pod))
                .map(pod -> "the claim " + Truth.name(written) + " is taken from the pod " + Truth.name(pod)).toList();
    }

    private static boolean isDeletedUnscheduled(V1Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null && pod.getSpec().getNodeName() == null;
    }

    private static Stream<String> consumers(ResourceV1ResourceClaim claim) {
        return claim.getStatus() == null || claim.getStatus().getReservedFor() == null
                ? Stream.of()
                : claim.getStatus().getReservedFor().stream().map(V1ResourceClaimConsumerReference::getUid);
    }
}
