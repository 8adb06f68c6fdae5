package dev.wheelhouse.controllers.replicaset;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerRefManager;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * The input of a decision about one ReplicaSet.
 *
 * @param ownerType the type of the set: ReplicaSets or ReplicationControllers
 * @param set the ReplicaSet; it belongs to the cache, so nobody may change it
 * @param claim the active pods that the set owns, adopts and releases
 * @param terminating its pods that are being deleted
 * @param relatedPerNode the number of active pods of all ReplicaSets with the same owner, by node; only needed if there
 *     are too many pods, so it is empty otherwise
 * @param now the current time
 */
record ReplicaSetView(ResourceType ownerType, V1ReplicaSet set, ControllerRefManager.Claim<V1Pod> claim,
        List<V1Pod> terminating, Map<String, Integer> relatedPerNode, Instant now) {

    /** A copy in which the adopted pods count as owned. */
    ReplicaSetView withAdopted(Collection<V1Pod> adopted) {
        List<V1Pod> owned = new ArrayList<>(claim.owned());
        owned.addAll(adopted);
        return new ReplicaSetView(ownerType, set, new ControllerRefManager.Claim<>(owned, List.of(), List.of()),
                terminating, relatedPerNode, now);
    }

    ReplicaSetView withRelated(Map<String, Integer> perNode) {
        return new ReplicaSetView(ownerType, set, claim, terminating, perNode, now);
    }

    /** The active pods of the set. */
    List<V1Pod> owned() {
        return claim.owned();
    }

    int wanted() {
        Integer replicas = set.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }

    int minReadySeconds() {
        return orZero(set.getSpec().getMinReadySeconds());
    }

    boolean isDeleting() {
        return set.getMetadata().getDeletionTimestamp() != null;
    }
}
