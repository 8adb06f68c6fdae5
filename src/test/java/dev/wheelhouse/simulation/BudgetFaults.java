package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controller of disruption budgets. */
final class BudgetFaults {
    /** One more disruption is allowed than should be. */
    private static final Defect FENCEPOST = Defects.writes(DisruptionController.NAME, (truth, write) -> {
        if (!(write instanceof Action.UpdateStatus u && u.object() instanceof V1PodDisruptionBudget budget)) {
            return write;
        }
        V1PodDisruptionBudget other = ModelJson.copy(budget);
        other.getStatus().setDisruptionsAllowed(other.getStatus().getDisruptionsAllowed() + 1);
        return new Action.UpdateStatus(u.type(), other, u.why());
    });

    private BudgetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("one disruption too many", "an eviction leaves .* ready pods, and the budget wants",
                        FENCEPOST));
    }
}
