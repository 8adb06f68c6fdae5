package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controller of disruption budgets. */
final class BudgetFaults {
    /** One more disruption is allowed than should be. */
    private static final Defect FENCEPOST = Defects.objects(DisruptionController.NAME, Action.UpdateStatus.class,
            V1PodDisruptionBudget.class, budget -> budget.getStatus()
                    .setDisruptionsAllowed(budget.getStatus().getDisruptionsAllowed() + 1));

    private BudgetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("one disruption too many", "an eviction leaves .* ready pods, and the budget wants",
                        FENCEPOST));
    }
}
