package dev.wheelhouse.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the Deployment controller. */
final class DeploymentFaults {
    /** A ReplicaSet becomes larger by one pod than it should. */
    private static final Defect FENCEPOST = Defects.each(DeploymentController.NAME,
            (truth, owner, a) -> a instanceof Action.Update u && u.object() instanceof V1ReplicaSet r
                    ? grown(truth, u, r)
                    : a);

    /** The controller writes the status that it computed in the sync before. */
    private static final Defect STATUS_OF_AN_OLD_VIEW = Defects.decision(DeploymentController.NAME, truth -> {
        Map<ObjectKey, V1Deployment> before = new HashMap<>();
        return (owner, actions) -> actions.stream()
                .map(a -> a instanceof Action.UpdateStatus u && u.object() instanceof V1Deployment d
                        ? new Action.UpdateStatus(u.type(), late(before.put(u.target(), d), d), u.why())
                        : a)
                .toList();
    });

    private DeploymentFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a fencepost off by one", "the size of .* (brings its Deployment to|leaves) .* pods",
                        FENCEPOST),
                new PlantedFault("a lost requeue", "no status tells that the last change was seen",
                        Defects.LOST_REQUEUE),
                new PlantedFault("a status written from an old view",
                        "no status tells that the last change was seen|status .* back", STATUS_OF_AN_OLD_VIEW));
    }

    private static Action grown(Truth truth, Action.Update update, V1ReplicaSet wanted) {
        V1ReplicaSet stored = truth.get(ResourceType.REPLICA_SETS, V1ReplicaSet.class, update.target().name());
        if (stored == null || wanted.getSpec().getReplicas() <= stored.getSpec().getReplicas()) {
            return update;
        }
        V1ReplicaSet grown = ModelJson.copy(wanted);
        grown.getSpec().setReplicas(wanted.getSpec().getReplicas() + 1);
        return new Action.Update(update.type(), grown, update.why());
    }

    private static V1Deployment late(V1Deployment last, V1Deployment now) {
        if (last == null) {
            return now;
        }
        V1Deployment late = ModelJson.copy(now);
        late.setStatus(last.getStatus());
        return late;
    }
}
