package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the disruption controller. */
final class BudgetFaults {
    /** Every healthy pod may be disrupted. */
    private static final Defect ALL_MAY_GO = Defects.decision(DisruptionController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> a instanceof Action.UpdateStatus u
                    && u.object() instanceof V1PodDisruptionBudget budget ? generous(u, budget) : a).toList());

    private BudgetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a budget that allows everything", "the budget .* allows .* disruptions", ALL_MAY_GO),
                new PlantedFault("a budget never counted again",
                        "no status tells that the last change was seen|ends in another state",
                        Defects.LOST_REQUEUE));
    }

    private static Action generous(Action.UpdateStatus update, V1PodDisruptionBudget budget) {
        V1PodDisruptionBudget changed = ModelJson.copy(budget);
        changed.getStatus()
                .setDisruptionsAllowed(Objects.requireNonNullElse(budget.getStatus().getCurrentHealthy(), 0));
        return new Action.UpdateStatus(update.type(), changed, update.why());
    }
}
