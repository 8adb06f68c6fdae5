package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.volume.EphemeralVolumeController;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.simulation.Truth.name;

/**
 * No claim that is being deleted loses its protection while a pod on a node uses it and has not ended. The claim of an
 * ephemeral volume belongs to its pod.
 */
record ClaimInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        V1PersistentVolumeClaim written = write.object(V1PersistentVolumeClaim.class);
        if (written != null && write.controller().equals(EphemeralVolumeController.NAME)
                && truth.pods().stream().noneMatch(p -> Truth.owns(p, written))) {
            return List.of("the claim " + name(written) + " belongs to no pod");
        }
        if (written == null || !write.is("update", ResourceType.PERSISTENT_VOLUME_CLAIMS) || isProtected(written)) {
            return List.of();
        }
        V1PersistentVolumeClaim live = truth.get(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class,
                name(written));
        if (live == null || !isProtected(live)) {
            return List.of();
        }
        return truth.pods().stream().filter(p -> p.getSpec().getNodeName() != null && !Truth.isFinished(p))
                .filter(p -> uses(p, name(live)))
                .map(p -> "the claim " + name(live) + " loses its protection under the pod " + name(p)).toList();
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    private static boolean isProtected(V1PersistentVolumeClaim claim) {
        return claim.getMetadata().getFinalizers() != null
                && claim.getMetadata().getFinalizers().contains(Volumes.CLAIM_PROTECTION);
    }

    private static boolean uses(V1Pod pod, String claim) {
        return pod.getSpec().getVolumes() != null && pod.getSpec().getVolumes().stream()
                .anyMatch(v -> v.getPersistentVolumeClaim() != null
                        && claim.equals(v.getPersistentVolumeClaim().getClaimName()));
    }
}
