package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.uid;

/** A volume is bound to one claim only, is not taken from a claim that exists, and stays as long as it is bound. */
record VolumeInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        V1PersistentVolume volume = write.object(V1PersistentVolume.class);
        if (volume != null && write.is("update", ResourceType.PERSISTENT_VOLUMES)) {
            return Stream.concat(taken(volume).stream(), unprotected(volume).stream()).toList();
        }
        V1PersistentVolumeClaim claim = write.object(V1PersistentVolumeClaim.class);
        return claim != null && write.is("update", ResourceType.PERSISTENT_VOLUME_CLAIMS) ? shared(claim) : List.of();
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    private List<String> taken(V1PersistentVolume written) {
        V1PersistentVolume live = truth.get(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class, name(written));
        String owner = live == null ? null : claimant(live);
        return owner == null || owner.equals(claimant(written))
                ? List.of()
                : claims().stream()
                        .filter(c -> uid(c).equals(owner) && name(written).equals(c.getSpec().getVolumeName()))
                        .map(c -> "the volume " + name(written) + " is taken from the claim " + name(c)).toList();
    }

    private List<String> unprotected(V1PersistentVolume written) {
        V1PersistentVolume live = truth.get(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class, name(written));
        return live != null && isProtected(live) && !isProtected(written) && live.getStatus() != null
                && "Bound".equals(live.getStatus().getPhase())
                        ? List.of("the volume " + name(live) + " loses its protection, and is bound")
                        : List.of();
    }

    private static boolean isProtected(V1PersistentVolume volume) {
        List<String> finalizers = volume.getMetadata().getFinalizers();
        return finalizers != null && finalizers.contains(Volumes.VOLUME_PROTECTION);
    }

    private static @Nullable String claimant(V1PersistentVolume volume) {
        return volume.getSpec().getClaimRef() == null ? null : volume.getSpec().getClaimRef().getUid();
    }

    private List<String> shared(V1PersistentVolumeClaim written) {
        String volume = written.getSpec().getVolumeName();
        return volume == null || volume.isEmpty()
                ? List.of()
                : claims().stream()
                        .filter(c -> !uid(c).equals(uid(written))
                                && Objects.equals(c.getSpec().getVolumeName(), volume))
                        .map(c -> "the volume " + volume + " is bound to " + name(written) + ", and to " + name(c))
                        .toList();
    }

    private List<V1PersistentVolumeClaim> claims() {
        return truth.list(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
    }
}
