package dev.wheelhouse.simulation;

import java.util.List;
import java.util.function.Predicate;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controller of ServiceCIDRs. */
final class RangeFaults {
    private static final String BODY = "{\"metadata\": {\"" + RangeInvariants.LETS_GO
            + "\": [\"networking.k8s.io/service-cidr-finalizer\"]}}";

    private RangeFaults() {}

    private static boolean letsGo(Action action) {
        return action instanceof Action.Patch patch && patch.body().contains(RangeInvariants.LETS_GO);
    }

    /** Such an action is replaced by the removal of the finalizer. */
    private static Defect letsGoInsteadOf(Predicate<Action> which) {
        return Defects.each(ServiceCidrController.NAME,
                (truth, owner, action) -> which.test(action) ? removal(Defects.object(owner)) : action);
    }

    private static Action removal(ObjectKey range) {
        return new Action.Patch(ServiceCidrController.RANGES, range, "", PatchType.STRATEGIC_MERGE, BODY,
                "nobody asked who uses it");
    }

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a range that is let go at once", "is let go within ten seconds",
                        letsGoInsteadOf(Action.RequeueAfter.class::isInstance)),
                new PlantedFault("a range that is let go with its addresses", "is let go, and .* is in use",
                        letsGoInsteadOf(action -> action instanceof Action.Apply apply
                                && apply.body().contains("Terminating"))),
                new PlantedFault("a range that is never let go", "no status tells that the last change was seen",
                        Defects.without(ServiceCidrController.NAME, RangeFaults::letsGo)));
    }
}
