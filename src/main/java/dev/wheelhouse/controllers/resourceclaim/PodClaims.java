package dev.wheelhouse.controllers.resourceclaim;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodExtendedResourceClaimStatus;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1PodResourceClaimStatus;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Reads the references between pods and ResourceClaims (upstream:
 * {@code staging/src/k8s.io/dynamic-resource-allocation/resourceclaim}).
 */
final class PodClaims {
    private PodClaims() {}

    static List<V1PodResourceClaim> of(V1Pod pod) {
        return orEmpty(pod.getSpec().getResourceClaims());
    }

    /** The status of a claim from a template; null while the pod has none. Its claim name is null if none is needed. */
    static @Nullable V1PodResourceClaimStatus status(V1Pod pod, V1PodResourceClaim wanted) {
        List<V1PodResourceClaimStatus> all = pod.getStatus() == null
                ? List.of()
                : orEmpty(pod.getStatus().getResourceClaimStatuses());
        return all.stream().filter(status -> status.getName().equals(wanted.getName())).findFirst().orElse(null);
    }

    /** The name of a claim that the pod has; null if it is not known or not needed. */
    static @Nullable String name(V1Pod pod, V1PodResourceClaim wanted) {
        if (wanted.getResourceClaimName() != null) {
            return wanted.getResourceClaimName();
        }
        V1PodResourceClaimStatus status = status(pod, wanted);
        return status == null ? null : status.getResourceClaimName();
    }

    /** The names of the claims that the spec of a pod leads to. */
    static List<String> names(V1Pod pod) {
        return of(pod).stream().map(wanted -> name(pod, wanted)).filter(Objects::nonNull).toList();
    }

    /** The name of the claim that the scheduler made for the extended resources of a pod. */
    static Stream<String> ofExtendedResources(V1Pod pod) {
        V1PodExtendedResourceClaimStatus status = pod.getStatus() == null
                ? null
                : pod.getStatus().getExtendedResourceClaimStatus();
        return status == null ? Stream.of() : Stream.of(status.getResourceClaimName());
    }

    /** Whether no container of the pod runs or will run. */
    static boolean isDone(V1Pod pod) {
        return Pods.isFinished(pod) || Pods.isDeleting(pod) && Pods.node(pod).isEmpty();
    }

    /** The pod for which a claim was made; null if it was made for something else. */
    static @Nullable V1OwnerReference owner(ResourceV1ResourceClaim claim) {
        V1OwnerReference owner = OwnerReferences.controllerOf(claim.getMetadata());
        return owner != null && owner.getApiVersion().equals("v1") && owner.getKind().equals("Pod") ? owner : null;
    }

    static boolean isFor(V1Pod pod, ResourceV1ResourceClaim claim) {
        V1OwnerReference owner = OwnerReferences.controllerOf(claim.getMetadata());
        return owner != null && owner.getUid().equals(pod.getMetadata().getUid());
    }

    static List<V1ResourceClaimConsumerReference> consumers(ResourceV1ResourceClaim claim) {
        return claim.getStatus() == null ? List.of() : orEmpty(claim.getStatus().getReservedFor());
    }

    static boolean isPod(V1ResourceClaimConsumerReference consumer) {
        return (consumer.getApiGroup() == null || consumer.getApiGroup().isEmpty())
                && consumer.getResource().equals("pods");
    }

    static boolean isAllocated(ResourceV1ResourceClaim claim) {
        return claim.getStatus() != null && claim.getStatus().getAllocation() != null;
    }

    static boolean isDeleting(ResourceV1ResourceClaim claim) {
        return claim.getMetadata().getDeletionTimestamp() != null;
    }
}
