package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of ResourceClaims and of evictions by taints of devices. */
final class DeviceFaults {
    /** A claim that is reserved for one more pod loses its other pods. */
    private static final Defect TAKEN_AWAY = Defects.writes(ResourceClaimController.NAME, (truth, write) -> {
        if (!(write instanceof Action.UpdateStatus u && u.object() instanceof ResourceV1ResourceClaim claim)
                || claim.getStatus().getReservedFor() == null || claim.getStatus().getReservedFor().size() < 2) {
            return write;
        }
        ResourceV1ResourceClaim other = ModelJson.copy(claim);
        other.getStatus().setReservedFor(List.of(other.getStatus().getReservedFor().getLast()));
        return new Action.UpdateStatus(u.type(), other, u.why());
    });

    /** The claims of a pod are not written into its status. */
    private static final Defect UNTOLD = without(ResourceClaimController.NAME, Action.Apply.class);

    /** Claims of pods that have ended stay. */
    private static final Defect KEPT = without(ResourceClaimController.NAME, Action.Delete.class);

    /** Pods are not deleted when the device is tainted. */
    private static final Defect SPARED = without(DeviceTaintEvictionController.NAME, Action.Delete.class);

    private DeviceFaults() {}

    private static Defect without(String controller, Class<? extends Action> lost) {
        return Defects.decision(controller,
                truth -> (owner, actions) -> actions.stream().filter(action -> !lost.isInstance(action)).toList());
    }

    static List<PlantedFault> all() {
        return List.of(new PlantedFault("a claim taken from a pod", "is taken from the pod", TAKEN_AWAY),
                new PlantedFault("claims that the pod's status does not name",
                        "no status tells that the last change was seen", UNTOLD),
                new PlantedFault("claims of ended pods stay", "no status tells that the last change was seen", KEPT),
                new PlantedFault("pods stay on tainted devices", "no status tells that the last change was seen",
                        SPARED));
    }
}
