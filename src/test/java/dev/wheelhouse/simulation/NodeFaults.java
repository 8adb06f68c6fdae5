package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.node.NodeIpamController;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.controllers.node.TtlController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of nodes. */
final class NodeFaults {
    private NodeFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("evicted at once", "the pod .* is evicted before its toleration ends", AT_ONCE),
                new PlantedFault("never evicted", "the pod .* stays on a tainted node",
                        Defects.idle(TaintEvictionController.NAME)),
                new PlantedFault("silent nodes stay ready", "the node .*, which is silent, has the status True",
                        withoutWritesOf("status")),
                new PlantedFault("nodes are not tainted", "the node .*, which is silent, is not tainted",
                        withoutWritesOf("")),
                new PlantedFault("no annotation for caches", "the node .* does not say how long may be cached",
                        Defects.idle(TtlController.NAME)),
                new PlantedFault("one range for all nodes", "the nodes .* have the same range of addresses",
                        Defects.writes(NodeIpamController.NAME, (truth, write) -> write instanceof Action.Patch right
                                ? new Action.Patch(right.type(), right.target(), right.subresource(),
                                        right.patchType(), right.body().replaceAll("10\\.9\\.\\d+", "10.9.0"),
                                        right.why())
                                : write)));
    }

    /** A pod is deleted as soon as its node is tainted. */
    private static final Defect AT_ONCE = Defects.each(TaintEvictionController.NAME,
            (truth, key, action) -> {
                V1Pod pod = action instanceof Action.RequeueAfter ? truth.pod(Defects.object(key)) : null;
                return pod == null
                        ? action
                        : new Action.Delete(ResourceType.PODS, Defects.object(key), Deletion.ofUid(pod.getMetadata().getUid()),
                                "it is evicted at once");
            });

    /** @param subresource that of the writes of nodes that are not made */
    private static Defect withoutWritesOf(String subresource) {
        return Defects.without(NodeLifecycleController.NAME,
                action -> action instanceof Action.Write write && write.type().equals(ResourceType.NODES)
                        && (write instanceof Action.Patch) == subresource.isEmpty());
    }
}
