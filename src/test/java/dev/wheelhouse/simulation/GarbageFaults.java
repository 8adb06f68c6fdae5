package dev.wheelhouse.simulation;

import java.util.List;

import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the garbage collector. */
final class GarbageFaults {
    /** An object that loses one of its owners is deleted although it has another one. */
    private static final Defect ONE_OWNER_IS_ENOUGH = Defects.each(GarbageCollector.NAME,
            (truth, owner, a) -> a instanceof Action.Patch p && p.body().contains("ownerReferences")
                    ? new Action.Delete(p.type(), p.target(), Deletion.unconditional(), p.why())
                    : a);

    /** References to owners that are gone stay. */
    private static final Defect NO_DELETIONS = Defects.without(GarbageCollector.NAME,
            Action.Delete.class::isInstance);

    private GarbageFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a deletion for the loss of one owner",
                        "the garbage collector deletes .*, whose owner .* exists", ONE_OWNER_IS_ENOUGH),
                new PlantedFault("garbage that stays", "no status tells that the last change was seen", NO_DELETIONS));
    }
}
