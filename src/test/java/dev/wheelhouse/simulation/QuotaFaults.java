package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ResourceQuota;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controller of quotas. */
final class QuotaFaults {
    /** One pod more is counted than there is. */
    private static final Defect MISCOUNTED = Defects.writes(QuotaController.NAME, (truth, write) -> {
        if (!(write instanceof Action.UpdateStatus u && u.object() instanceof V1ResourceQuota quota)) {
            return write;
        }
        V1ResourceQuota other = ModelJson.copy(quota);
        other.getStatus().getUsed().computeIfPresent("pods",
                (name, pods) -> Quantity.fromString(pods.getNumber().longValueExact() + 1 + ""));
        return new Action.UpdateStatus(u.type(), other, u.why());
    });

    /** The status is written for changed limits only, so that nothing that ended is given back. */
    private static final Defect NEVER_RETURNED = Defects.decision(QuotaController.NAME,
            truth -> (owner, actions) -> actions.stream().filter(action -> !(action instanceof Action.UpdateStatus u)
                    || u.why().equals("the limits have changed")).toList());

    private QuotaFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("one pod too many is counted", "the controller writes that the quota uses",
                        MISCOUNTED),
                new PlantedFault("nothing is given back", "at the end the quota uses", NEVER_RETURNED));
    }
}
