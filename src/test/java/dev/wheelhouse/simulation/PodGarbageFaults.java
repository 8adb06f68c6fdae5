package dev.wheelhouse.simulation;

import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the collector of pods. */
final class PodGarbageFaults {
    private PodGarbageFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("the youngest ended pods first", "ends the pod .* before older ones",
                        others(Truth::isFinished)),
                new PlantedFault("a running pod", "ends the pod .*, which has not ended, and its node .* exists",
                        others(pod -> Truth.isActive(pod) && pod.getSpec().getNodeName() != null)),
                new PlantedFault("ended pods that stay", "ended pods stay", without("too many pods have ended")),
                new PlantedFault("pods of nodes that are gone stay", "the lost pod .* stays",
                        without("its node no longer exists")));
    }

    /** The collector deletes the youngest pod that a test accepts instead of the right one. */
    private static Defect others(Predicate<V1Pod> test) {
        return Defects.writes(PodGarbageCollector.NAME, (truth, write) -> write instanceof Action.Delete right
                ? truth.pods().stream().filter(test)
                        .max(Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp())).<Action.Write>map(
                                pod -> new Action.Delete(ResourceType.PODS, ObjectKey.of(pod),
                                        Deletion.ofUid(pod.getMetadata().getUid()), right.why()))
                        .orElse(right)
                : write);
    }

    private static Defect without(String reason) {
        return Defects.each(PodGarbageCollector.NAME, (truth, round, action) -> action instanceof Action.Batch batch
                ? Action.Batch.each(batch.writes().stream().filter(w -> !w.why().equals(reason)).toList())
                : action);
    }
}
