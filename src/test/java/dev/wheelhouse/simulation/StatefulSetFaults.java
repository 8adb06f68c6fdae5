package dev.wheelhouse.simulation;

import java.util.List;
import java.util.function.IntUnaryOperator;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.statefulset.StatefulSetController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the StatefulSet controller. */
final class StatefulSetFaults {
    private StatefulSetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("an ordinal too many", "is created, and it read that the ordinals are",
                        creations(ordinal -> ordinal + 1)),
                new PlantedFault("the first ordinal left out", "starts before pod .* is ready",
                        creations(ordinal -> ordinal == 0 ? 1 : ordinal)),
                new PlantedFault("deletions of the pod below", "is deleted before|is updated before|which is wanted",
                        deletions(ordinal -> Math.max(0, ordinal - 1), false)),
                new PlantedFault("pods ended at once", "its ordinal may start again beside it",
                        deletions(ordinal -> ordinal, true)));
    }

    private static Defect creations(IntUnaryOperator ordinals) {
        return Defects.objects(StatefulSetController.NAME, Action.Create.class, V1Pod.class,
                pod -> pod.getMetadata().setName(other(Truth.name(pod), ordinals)));
    }

    private static Defect deletions(IntUnaryOperator ordinals, boolean atOnce) {
        return Defects.writes(StatefulSetController.NAME, (truth, write) -> {
            V1Pod other = write instanceof Action.Delete d && d.type().equals(ResourceType.PODS)
                    ? truth.pod(new ObjectKey(d.target().namespace(), other(d.target().name(), ordinals)))
                    : null;
            if (other == null) {
                return write;
            }
            Deletion deletion = Deletion.ofUid(Truth.uid(other));
            return new Action.Delete(write.type(), ObjectKey.of(other),
                    !atOnce ? deletion : new Deletion(0L, deletion.uid(), null, null), write.why());
        });
    }

    private static String other(String pod, IntUnaryOperator ordinals) {
        int ordinal = StatefulSetWorkload.ordinal(pod);
        return pod.substring(0, pod.lastIndexOf('-') + 1) + ordinals.applyAsInt(ordinal);
    }
}
