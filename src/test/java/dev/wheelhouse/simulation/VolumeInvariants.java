package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ResourceType;

/**
 * A volume is never bound to two claims, nor released while its claim exists. An update of an object that has changed
 * since it was read is not judged: the server refuses it.
 */
record VolumeInvariants(Truth truth) implements Invariant {
    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;

    @Override
    public List<String> before(Write write) {
        if (!write.request().verb().equals("update")) {
            return List.of();
        }
        V1PersistentVolumeClaim claim = write.object(V1PersistentVolumeClaim.class);
        V1PersistentVolume volume = write.object(V1PersistentVolume.class);
        return claim != null ? ofClaim(claim) : volume != null ? ofVolume(volume) : List.of();
    }

    private List<String> ofClaim(V1PersistentVolumeClaim claim) {
        V1PersistentVolumeClaim live = truth.get(CLAIMS, V1PersistentVolumeClaim.class, Truth.name(claim));
        if (live == null || !isCurrent(claim, live)) {
            return List.of();
        }
        V1PersistentVolume volume = named(claim);
        V1ObjectReference reference = volume == null ? null : volume.getSpec().getClaimRef();
        return !Objects.equals(claim.getSpec().getVolumeName(), live.getSpec().getVolumeName())
                && (reference == null || !Truth.uid(claim).equals(reference.getUid()))
                        ? List.of("the claim " + Truth.name(claim) + " is bound to the volume "
                                + claim.getSpec().getVolumeName() + ", which is not bound to it")
                        : List.of();
    }

    private @Nullable V1PersistentVolume named(V1PersistentVolumeClaim claim) {
        return truth.get(VOLUMES, V1PersistentVolume.class, String.valueOf(claim.getSpec().getVolumeName()));
    }

    private List<String> ofVolume(V1PersistentVolume volume) {
        V1PersistentVolume live = truth.get(VOLUMES, V1PersistentVolume.class, Truth.name(volume));
        V1PersistentVolumeClaim owner = live == null || !isCurrent(volume, live) ? null : claim(live);
        if (live == null || owner == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        boolean holds = Truth.name(live).equals(owner.getSpec().getVolumeName());
        if (holds && (reference == null || !Truth.uid(owner).equals(reference.getUid()))) {
            wrong.add(
                    "the volume " + Truth.name(volume) + " of the claim " + Truth.name(owner) + " is given to another");
        }
        if (holds && volume.getStatus() != null && "Released".equals(volume.getStatus().getPhase())) {
            wrong.add("the volume " + Truth.name(volume) + " is released while its claim " + Truth.name(owner)
                    + " exists");
        }
        return wrong;
    }

    /** The claim that a volume is bound to; null if it is gone. */
    private @Nullable V1PersistentVolumeClaim claim(V1PersistentVolume volume) {
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        V1PersistentVolumeClaim claim = reference == null
                ? null
                : truth.get(CLAIMS, V1PersistentVolumeClaim.class, String.valueOf(reference.getName()));
        return reference == null || claim == null || !Truth.uid(claim).equals(reference.getUid()) ? null : claim;
    }

    private static boolean isCurrent(KubernetesObject written, KubernetesObject live) {
        return String.valueOf(written.getMetadata().getResourceVersion())
                .equals(live.getMetadata().getResourceVersion());
    }

    @Override
    public List<String> atEnd() {
        List<V1PersistentVolumeClaim> claims = truth.list(CLAIMS, V1PersistentVolumeClaim.class);
        return claims.stream().filter(c -> c.getSpec().getVolumeName() != null && claims.stream()
                .anyMatch(o -> o != c && c.getSpec().getVolumeName().equals(o.getSpec().getVolumeName())))
                .map(c -> "the volume " + c.getSpec().getVolumeName() + " is bound to two claims").distinct().toList();
    }
}
