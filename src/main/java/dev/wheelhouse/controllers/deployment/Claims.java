package dev.wheelhouse.controllers.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;

/** Adopting and releasing ReplicaSets, by patches that hold only for the UID that was seen (upstream: {@code controller_ref_manager.go}). */
final class Claims {
    private Claims() {}

    static List<Action> of(DeploymentView view) {
        V1ObjectMeta owner = view.deployment().getMetadata();
        List<Action> actions = new ArrayList<>();
        for (V1ReplicaSet orphan : view.adopt()) {
            actions.add(patch(orphan, OwnerReferences.controllerReference(ResourceType.DEPLOYMENTS, owner),
                    "adopt: it matches the selector and has no controller"));
        }
        for (V1ReplicaSet stray : view.release()) {
            actions.add(patch(stray, Map.of("$patch", "delete", "uid", owner.getUid()),
                    "release: its labels no longer match the selector"));
        }
        return actions;
    }

    private static Action patch(V1ReplicaSet replicaSet, Object ownerReference, String why) {
        V1ObjectMeta meta = replicaSet.getMetadata();
        String body = ModelJson.write(Map.of("metadata",
                Map.of("uid", meta.getUid(), "ownerReferences", List.of(ownerReference))));
        return new Action.Patch(ResourceType.REPLICA_SETS, ObjectKey.of(meta), "", PatchType.STRATEGIC_MERGE, body,
                why);
    }
}
