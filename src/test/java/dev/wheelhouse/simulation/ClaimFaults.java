package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of claims and volumes. */
final class ClaimFaults {
    /** A claim gets the first volume of all, whoever has it. */
    private static final Defect FIRST_VOLUME = Defects.writes(VolumeBinder.NAME, (truth, write) -> {
        List<V1PersistentVolume> volumes = truth.list(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        if (!(write instanceof Action.Update u && u.object() instanceof V1PersistentVolumeClaim claim)
                || volumes.isEmpty() || claim.getSpec().getVolumeName() == null) {
            return write;
        }
        V1PersistentVolumeClaim other = ModelJson.copy(claim);
        other.getSpec().setVolumeName(Truth.name(volumes.getFirst()));
        return new Action.Update(u.type(), other, u.why());
    });

    /** The binder removes the finalizers of a claim that it binds. */
    private static final Defect PROTECTION_REMOVED = Defects.writes(VolumeBinder.NAME, (truth, write) -> {
        if (!(write instanceof Action.Update u && u.object() instanceof V1PersistentVolumeClaim claim)) {
            return write;
        }
        V1PersistentVolumeClaim other = ModelJson.copy(claim);
        other.getMetadata().setFinalizers(List.of());
        return new Action.Update(u.type(), other, u.why());
    });

    private ClaimFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("one volume for two claims", "the volume .* is bound to .*, and to", FIRST_VOLUME),
                new PlantedFault("a claim without protection", "loses its protection under the pod",
                        PROTECTION_REMOVED));
    }
}
