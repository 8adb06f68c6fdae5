package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.daemonset.DaemonSetController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the DaemonSet controller. */
final class DaemonSetFaults {
    /** A rolling update deletes all pods at once. */
    private static final Defect NO_LIMIT = Defects.decision(DaemonSetController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> a instanceof Action.Batch b
                    && b.writes().stream().anyMatch(w -> w instanceof Action.Delete) ? allPods(truth, owner, b) : a)
                    .toList());

    /** Each node gets a pod that is for another node. */
    private static final Defect WRONG_NODE = Defects.decision(DaemonSetController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> a instanceof Action.Batch b ? misdirected(b) : a)
                    .toList());

    private DaemonSetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a stale read of a DaemonSet's pods", "a creation gives the node|is deleted twice",
                        Defects.STALE_READ),
                new PlantedFault("a rolling update without a limit", "a deletion leaves .* nodes without", NO_LIMIT),
                new PlantedFault("all pods for one node", "a creation gives the node .* pods", WRONG_NODE));
    }

    private static Action allPods(Truth truth, ObjectKey owner, Action.Batch instead) {
        V1DaemonSet set = truth.get(ResourceType.DAEMON_SETS, V1DaemonSet.class, owner.name());
        return set == null
                ? instead
                : Action.Batch.each(truth.pods().stream().filter(p -> Truth.owns(set, p) && Truth.isActive(p))
                        .map(p -> new Action.Delete(ResourceType.PODS, ObjectKey.of(p),
                                Deletion.ofUid(Truth.uid(p)), "another revision"))
                        .toList());
    }

    private static Action misdirected(Action.Batch batch) {
        if (batch.writes().isEmpty() || !(batch.writes().getFirst() instanceof Action.Create first)
                || !(first.object() instanceof V1Pod pod)) {
            return batch;
        }
        batch.writes().forEach(write -> {
            if (write instanceof Action.Create create && create.object() instanceof V1Pod other) {
                other.getSpec().setAffinity(pod.getSpec().getAffinity());
            }
        });
        return batch;
    }
}
