package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.EphemeralVolumeController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.controllers.volume.VolumeProtectionController;
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
    private static final Defect PROTECTION_REMOVED = Defects.objects(VolumeBinder.NAME, Action.Update.class,
            V1PersistentVolumeClaim.class, claim -> claim.getMetadata().setFinalizers(List.of()));

    /** The claim of an ephemeral volume has no owner. */
    private static final Defect NO_OWNER = Defects.objects(EphemeralVolumeController.NAME, Action.Create.class,
            V1PersistentVolumeClaim.class, claim -> claim.getMetadata().setOwnerReferences(null));

    private ClaimFaults() {}

    /** A controller lets go of an object that is being deleted at once, and does not ask who uses it. */
    static <T extends KubernetesObject> Defect letsGo(String controller, ResourceType type, Class<T> model) {
        return Defects.decision(controller, truth -> (key, actions) -> {
            T object = truth.get(type, model, Defects.object(key).name());
            if (object == null || object.getMetadata().getDeletionTimestamp() == null) {
                return actions;
            }
            T other = ModelJson.copy(object);
            other.getMetadata().setFinalizers(List.of());
            return List.of(new Action.Update(type, other, "nobody asked who uses it"));
        });
    }

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("one volume for two claims", "the volume .* is bound to .*, and to", FIRST_VOLUME),
                new PlantedFault("a claim without protection", "loses its protection under the pod",
                        PROTECTION_REMOVED),
                new PlantedFault("a claim that is let go at once", "the claim .* loses its protection under the pod",
                        letsGo(ClaimProtectionController.NAME, ResourceType.PERSISTENT_VOLUME_CLAIMS,
                                V1PersistentVolumeClaim.class)),
                new PlantedFault("a volume that is let go at once", "the volume .* loses its protection, and is bound",
                        letsGo(VolumeProtectionController.NAME, ResourceType.PERSISTENT_VOLUMES,
                                V1PersistentVolume.class)),
                new PlantedFault("an ephemeral volume's claim without an owner", "the claim .* belongs to no pod",
                        NO_OWNER));
    }
}
