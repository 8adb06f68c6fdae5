package dev.wheelhouse.simulation;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

import io.kubernetes.client.openapi.models.V1Scale;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the autoscaler's controller. */
final class AutoscalerFaults {
    private AutoscalerFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a size beyond the limit", "scales to .*, and it read the limits",
                        sizes(size -> size + 1)),
                new PlantedFault("a size that goes up and down", "scales down from .* within .* s of a rise",
                        alternating()));
    }

    /** Every second size is too small by two. */
    private static Defect alternating() {
        AtomicInteger writes = new AtomicInteger();
        return sizes(size -> writes.incrementAndGet() % 2 == 0 ? Math.max(1, size - 2) : size + 1);
    }

    private static Defect sizes(IntUnaryOperator change) {
        return Defects.objects(AutoscalerController.NAME, Action.UpdateSubresource.class, V1Scale.class,
                scale -> scale.getSpec().setReplicas(change.applyAsInt(scale.getSpec().getReplicas())));
    }
}
