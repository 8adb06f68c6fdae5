package dev.wheelhouse.simulation;

import java.util.ArrayList;
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
    /** Every creation is made twice. */
    private static final Defect TWICE = Defects.each(DaemonSetController.NAME,
            (truth, owner, a) -> a instanceof Action.Batch b
                    && b.writes().stream().allMatch(w -> w instanceof Action.Create) ? twice(b) : a);

    /** Once one pod is replaced, all are. */
    private static final Defect ALL_AT_ONCE = Defects.each(DaemonSetController.NAME,
            (truth, owner, a) -> a instanceof Action.Batch b && !b.writes().isEmpty()
                    && b.writes().stream().allMatch(w -> w instanceof Action.Delete) ? all(truth, Defects.object(owner)) : a);

    /** Pods are made for a node that is not there. */
    private static final Defect UNKNOWN_NODE = Defects.objects(DaemonSetController.NAME, Action.Create.class,
            V1Pod.class, pod -> pod.getSpec().getAffinity().getNodeAffinity()
                    .getRequiredDuringSchedulingIgnoredDuringExecution().getNodeSelectorTerms()
                    .forEach(t -> t.getMatchFields().forEach(f -> f.values(List.of("nowhere")))));

    private DaemonSetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("pods created twice", "starts a pod on node .* beside", TWICE),
                new PlantedFault("a stale cache read", "starts a pod on node .* beside", Defects.STALE_READ),
                new PlantedFault("all pods replaced at once", "leaves .* nodes without a ready pod", ALL_AT_ONCE),
                new PlantedFault("a pod for a node that is gone", "which it does not know", UNKNOWN_NODE));
    }

    private static Action twice(Action.Batch batch) {
        List<Action.Write> writes = new ArrayList<>(batch.writes());
        writes.addAll(batch.writes());
        return new Action.Batch(writes, batch.slowStart());
    }

    private static Action all(Truth truth, ObjectKey owner) {
        V1DaemonSet set = truth.get(ResourceType.DAEMON_SETS, V1DaemonSet.class, owner.name());
        return Action.Batch.each(truth.pods().stream().filter(p -> set != null && Truth.owns(set, p))
                .map(p -> new Action.Delete(ResourceType.PODS, ObjectKey.of(p), Deletion.ofUid(Truth.uid(p)), "all go"))
                .toList());
    }
}
