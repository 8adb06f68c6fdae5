package dev.wheelhouse.controllers.statefulset;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSetPersistentVolumeClaimRetentionPolicy;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The owner references by which the garbage collector deletes a claim with its set or its pod, as
 * {@code spec.persistentVolumeClaimRetentionPolicy} says (upstream: {@code isClaimOwnerUpToDate} and
 * {@code updateClaimOwnerRefForSetAndPod} in {@code pkg/controller/statefulset/stateful_set_utils.go}).
 */
final class ClaimRetention {
    private static final ResourceType SETS = ResourceType.STATEFUL_SETS;
    private static final ResourceType PODS = ResourceType.PODS;

    private final V1ObjectMeta set;
    private final V1ObjectMeta pod;
    private final boolean whenDeleted;
    private final boolean whenScaled;
    private final boolean scaledDown;

    /** @param pod one of the set's pods; it may be a new one, which has no UID */
    ClaimRetention(StatefulSetView view, V1Pod pod) {
        V1StatefulSetPersistentVolumeClaimRetentionPolicy policy = view.set().getSpec()
                .getPersistentVolumeClaimRetentionPolicy();
        this.set = view.set().getMetadata();
        this.pod = pod.getMetadata();
        this.whenDeleted = policy != null && "Delete".equals(policy.getWhenDeleted());
        this.whenScaled = policy != null && "Delete".equals(policy.getWhenScaled());
        this.scaledDown = !view.isInRange(Identity.ordinal(pod));
    }

    /** Whether a claim waits for its deletion with an earlier pod of the same name, and so must not be used. */
    boolean isStale(V1PersistentVolumeClaim claim) {
        return whenScaled && isStale(claim, PODS, pod);
    }

    /** Whether another controller manages the claim, although the policy is to delete claims. */
    boolean isManagedByAnother(V1PersistentVolumeClaim claim) {
        if (!whenDeleted && !whenScaled) {
            return false;
        }
        for (V1OwnerReference reference : OwnerReferences.of(claim.getMetadata())) {
            V1ObjectMeta named = names(reference, SETS, set) ? set : names(reference, PODS, pod) ? pod : null;
            if (named != null ? !is(reference, named) : Boolean.TRUE.equals(reference.getController())) {
                return true;
            }
        }
        return false;
    }

    /** Whether the claim has the owner references that the policy asks for, or must be left alone. */
    boolean matches(V1PersistentVolumeClaim claim) {
        if (isStale(claim, SETS, set) || isStale(claim, PODS, pod)) {
            return true;
        }
        boolean ownedBySet = isOwnedBy(claim, set);
        boolean ownedByPod = isOwnedBy(claim, pod);
        if (isManagedByAnother(claim)) {
            return !ownedBySet && !ownedByPod;
        }
        return !hasOwnerThatIsNoController(claim) && ownedBySet == wantsSet() && ownedByPod == wantsPod();
    }

    private boolean wantsSet() {
        return whenDeleted && !(whenScaled && scaledDown);
    }

    private boolean wantsPod() {
        return whenScaled && scaledDown;
    }

    /** A copy of the claim with the owner references that the policy asks for. */
    V1PersistentVolumeClaim repaired(V1PersistentVolumeClaim claim) {
        List<V1OwnerReference> references = new ArrayList<>(OwnerReferences.of(claim.getMetadata()));
        boolean managedByAnother = isManagedByAnother(claim);
        references.removeIf(reference -> names(reference, SETS, set) || names(reference, PODS, pod));
        if (!managedByAnother && wantsSet()) {
            add(references, SETS, set);
        }
        if (!managedByAnother && wantsPod()) {
            add(references, PODS, pod);
        }
        V1ObjectMeta meta = ModelJson.shallowCopy(claim.getMetadata());
        meta.setOwnerReferences(references);
        return ModelJson.shallowCopy(claim).apiVersion("v1").kind("PersistentVolumeClaim").metadata(meta);
    }

    private static void add(List<V1OwnerReference> references, ResourceType type, V1ObjectMeta owner) {
        if (references.stream().noneMatch(reference -> is(reference, owner))) {
            references.add(OwnerReferences.controllerReference(type, owner));
        }
    }

    private boolean hasOwnerThatIsNoController(V1PersistentVolumeClaim claim) {
        return OwnerReferences.of(claim.getMetadata()).stream().anyMatch(
                reference -> (is(reference, set) || is(reference, pod))
                        && !Boolean.TRUE.equals(reference.getController()));
    }

    private static boolean isOwnedBy(V1PersistentVolumeClaim claim, V1ObjectMeta owner) {
        return OwnerReferences.of(claim.getMetadata()).stream().anyMatch(reference -> is(reference, owner));
    }

    /** Whether the first reference that names the owner has another UID: it names an earlier object. */
    private static boolean isStale(V1PersistentVolumeClaim claim, ResourceType type, V1ObjectMeta owner) {
        return OwnerReferences.of(claim.getMetadata()).stream().filter(reference -> names(reference, type, owner))
                .findFirst().filter(reference -> !is(reference, owner)).isPresent();
    }

    private static boolean names(V1OwnerReference reference, ResourceType type, V1ObjectMeta owner) {
        return type.apiVersion().equals(reference.getApiVersion()) && type.kind().equals(reference.getKind())
                && Objects.equals(owner.getName(), reference.getName());
    }

    private static boolean is(V1OwnerReference reference, V1ObjectMeta owner) {
        return Objects.equals(orEmpty(owner.getUid()), orEmpty(reference.getUid()));
    }
}
