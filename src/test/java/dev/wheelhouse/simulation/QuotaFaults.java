package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ResourceQuota;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controller of quotas. */
final class QuotaFaults {
    /** One pod more is counted than there is. */
    private static final Defect MISCOUNTED = Defects.objects(QuotaController.NAME, Action.UpdateStatus.class,
            V1ResourceQuota.class, quota -> quota.getStatus().getUsed().computeIfPresent("pods",
                    (name, pods) -> Quantity.fromString(pods.getNumber().longValueExact() + 1 + "")));

    /** The status is written for changed limits only, so that nothing that ended is given back. */
    private static final Defect NEVER_RETURNED = Defects.without(QuotaController.NAME,
            action -> action instanceof Action.UpdateStatus u && !u.why().equals("the limits have changed"));

    private QuotaFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("one pod too many is counted", "the controller writes that the quota uses",
                        MISCOUNTED),
                new PlantedFault("nothing is given back", "at the end the quota uses", NEVER_RETURNED));
    }
}
