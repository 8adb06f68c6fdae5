package dev.wheelhouse.simulation;

import java.util.List;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.policy.PolicyStatusController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controller of the statuses of policies. */
final class PolicyFaults {
    /** The warnings are not written. */
    private static final Defect SILENT = Defects.writes(PolicyStatusController.NAME,
            (truth, write) -> write instanceof Action.Apply a
                    ? new Action.Apply(a.type(), a.target(), a.subresource(), a.model(), a.fieldManager(), a.force(),
                            a.body().replace("expressionWarnings", "unknown"), a.why())
                    : write);

    private PolicyFaults() {}

    static List<PlantedFault> all() {
        return List.of(new PlantedFault("warnings are not written", "no status tells that the last change was seen",
                SILENT));
    }
}
