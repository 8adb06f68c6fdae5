package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1VolumeAttributesClass;

import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.simulation.Truth.name;

/**
 * A VolumeAttributesClass keeps its protection as long as a claim or volume uses it that the manager has read. At the
 * end no class is kept that nothing uses.
 */
record AttributesInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        V1VolumeAttributesClass written = write.object(V1VolumeAttributesClass.class);
        return written != null && write.is("update", ResourceType.VOLUME_ATTRIBUTES_CLASSES)
                && written.getMetadata().getDeletionTimestamp() != null
                && isUsed(name(written),
                        write.read(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class),
                        write.read(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class))
                                ? List.of("the class " + name(written) + " loses its protection, and is used")
                                : List.of();
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    @Override
    public List<String> atEnd() {
        return truth.list(ResourceType.VOLUME_ATTRIBUTES_CLASSES, V1VolumeAttributesClass.class).stream()
                .filter(c -> c.getMetadata().getDeletionTimestamp() != null
                        && !isUsed(name(c),
                                truth.list(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class),
                                truth.list(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class)))
                .map(c -> "at the end the class " + name(c) + " is kept, and nothing uses it").toList();
    }

    private static boolean isUsed(String attributes, List<V1PersistentVolumeClaim> claims,
            List<V1PersistentVolume> volumes) {
        return claims.stream().flatMap(AttributesInvariants::classes).anyMatch(attributes::equals)
                || volumes.stream().anyMatch(v -> attributes.equals(v.getSpec().getVolumeAttributesClassName()));
    }

    private static Stream<@Nullable String> classes(V1PersistentVolumeClaim claim) {
        var status = Objects.requireNonNull(claim.getStatus());
        return Stream.of(claim.getSpec().getVolumeAttributesClassName(), status.getCurrentVolumeAttributesClassName(),
                status.getModifyVolumeStatus() == null
                        ? null
                        : status.getModifyVolumeStatus().getTargetVolumeAttributesClassName());
    }
}
