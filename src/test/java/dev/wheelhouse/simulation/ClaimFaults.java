package dev.wheelhouse.simulation;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the volume controllers. */
final class ClaimFaults {
    /** Nobody asks whether a pod uses the claim. */
    private static final Defect LETS_GO_TOO_EARLY = Defects.decision(ClaimProtectionController.NAME,
            truth -> (owner, actions) -> {
                V1PersistentVolumeClaim claim = truth.get(ResourceType.PERSISTENT_VOLUME_CLAIMS,
                        V1PersistentVolumeClaim.class, owner.name());
                if (claim == null || claim.getMetadata().getDeletionTimestamp() == null) {
                    return actions;
                }
                V1PersistentVolumeClaim free = ModelJson.copy(claim);
                free.getMetadata().setFinalizers(List.of());
                return List.of(new Action.Update(ResourceType.PERSISTENT_VOLUME_CLAIMS, free, "it is deleted"));
            });

    /** A claim is bound to the first volume of its class, whoever has that. */
    private static final Defect FIRST_VOLUME = of(V1PersistentVolumeClaim.class, claim -> true, claim -> {
        if (claim.getSpec().getVolumeName() != null) {
            claim.getSpec().setVolumeName(claim.getSpec().getStorageClassName() + "-volume-0");
        }
    });

    /** A volume is released although its claim exists. */
    private static final Defect RELEASED_TOO_EARLY = of(V1PersistentVolume.class,
            volume -> volume.getStatus() != null && "Bound".equals(volume.getStatus().getPhase()),
            volume -> volume.getStatus().setPhase("Released"));

    private ClaimFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a claim let go under a pod", "loses its protection under the pod",
                        LETS_GO_TOO_EARLY),
                new PlantedFault("a volume for two claims", "which is not bound to it", FIRST_VOLUME),
                new PlantedFault("a volume released too early", "no status tells that the last change was seen",
                        RELEASED_TOO_EARLY),
                new PlantedFault("a claim never tried again", "no status tells that the last change was seen",
                        Defects.LOST_REQUEUE));
    }

    /** Changes the objects that the binder writes. */
    private static <T extends KubernetesObject> Defect of(Class<T> model, Predicate<T> concerned, Consumer<T> change) {
        return Defects.decision(VolumeBinder.NAME, truth -> (owner, actions) -> actions.stream().map(action -> {
            if (action instanceof Action.Update update && model.isInstance(update.object())
                    && concerned.test(model.cast(update.object()))) {
                change.accept(model.cast(update.object()));
            } else if (action instanceof Action.UpdateStatus update && model.isInstance(update.object())
                    && concerned.test(model.cast(update.object()))) {
                T copy = ModelJson.copy(model.cast(update.object()));
                change.accept(copy);
                return new Action.UpdateStatus(update.type(), copy, update.why());
            }
            return action;
        }).toList());
    }
}
