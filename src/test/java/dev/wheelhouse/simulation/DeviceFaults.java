package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of ResourceClaims and of evictions by taints of devices. */
final class DeviceFaults {
    /** A claim that is reserved for one more pod loses its other pods. */
    private static final Defect TAKEN_AWAY = Defects.objects(ResourceClaimController.NAME, Action.UpdateStatus.class,
            ResourceV1ResourceClaim.class, claim -> {
                var reservedFor = claim.getStatus().getReservedFor();
                if (reservedFor != null && reservedFor.size() > 1) {
                    claim.getStatus().setReservedFor(List.of(reservedFor.getLast()));
                }
            });

    /** The claims of a pod are not written into its status. */
    private static final Defect UNTOLD = Defects.without(ResourceClaimController.NAME,
            Action.Apply.class::isInstance);

    /** Claims of pods that have ended stay. */
    private static final Defect KEPT = Defects.without(ResourceClaimController.NAME,
            Action.Delete.class::isInstance);

    /** Pods are not deleted when the device is tainted. */
    private static final Defect SPARED = Defects.without(DeviceTaintEvictionController.NAME,
            Action.Delete.class::isInstance);

    private DeviceFaults() {}

    static List<PlantedFault> all() {
        return List.of(new PlantedFault("a claim taken from a pod", "is taken from the pod", TAKEN_AWAY),
                new PlantedFault("claims that the pod's status does not name",
                        "no status tells that the last change was seen", UNTOLD),
                new PlantedFault("claims of ended pods stay", "no status tells that the last change was seen", KEPT),
                new PlantedFault("pods stay on tainted devices", "no status tells that the last change was seen",
                        SPARED));
    }
}
