package dev.wheelhouse.controllers.deployment;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.controller.ControllerRefManager;

/**
 * The input of a decision about one Deployment. Its objects belong to the cache, so a decision does not change them.
 *
 * @param deployment the Deployment
 * @param owned its ReplicaSets
 * @param adopt ReplicaSets without a controller that its selector matches
 * @param release ReplicaSets of this Deployment that its selector no longer matches
 * @param unfinishedPods by ReplicaSet UID, the number of pods that are neither Succeeded nor Failed, including pods
 *     that are being deleted. Only the strategy Recreate needs it, so it is empty for a rolling update.
 * @param now the time for conditions and deadlines
 */
record DeploymentView(V1Deployment deployment, List<V1ReplicaSet> owned, List<V1ReplicaSet> adopt,
        List<V1ReplicaSet> release, Map<String, Integer> unfinishedPods, Instant now) {

    DeploymentView {
        owned = List.copyOf(owned);
        adopt = List.copyOf(adopt);
        release = List.copyOf(release);
        unfinishedPods = Map.copyOf(unfinishedPods);
    }

    /**
     * Sorts the candidates into owned, to adopt and to release.
     *
     * @param candidates ReplicaSets of the Deployment's namespace
     * @param unfinishedPods counts the pods of a ReplicaSet that are neither Succeeded nor Failed
     * @throws IllegalArgumentException if the Deployment's selector is invalid
     */
    static DeploymentView of(V1Deployment deployment, Collection<V1ReplicaSet> candidates,
            ToIntFunction<V1ReplicaSet> unfinishedPods, Instant now) {
        var claim = ControllerRefManager.claim(deployment.getMetadata(),
                LabelSelector.of(deployment.getSpec().getSelector()), candidates);
        Map<String, Integer> pods = new HashMap<>();
        if (!Fenceposts.isRollingUpdate(deployment)) {
            for (V1ReplicaSet owned : claim.owned()) {
                pods.put(owned.getMetadata().getUid(), unfinishedPods.applyAsInt(owned));
            }
        }
        return new DeploymentView(deployment, claim.owned(), claim.adopt(), claim.release(), pods, now);
    }
}
