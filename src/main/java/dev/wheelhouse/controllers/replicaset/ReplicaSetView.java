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

/**
 * All that a decision about one ReplicaSet rests on.
 *
 * @param ownerType ReplicaSets, or what is seen as one (ReplicationControllers)
 * @param set the ReplicaSet, as cached: not to be changed
 * @param claim the active pods that it owns, is to adopt and is to release
 * @param terminating its pods that are being deleted
 * @param relatedPerNode how many active pods of all ReplicaSets of its own owner each node has
 * @param mayScale whether all that it last created and deleted has been seen
 * @param now the time
 */
record ReplicaSetView(ResourceType ownerType, V1ReplicaSet set, ControllerRefManager.Claim<V1Pod> claim,
        List<V1Pod> terminating, Map<String, Integer> relatedPerNode, boolean mayScale, Instant now) {

    /** The same after adopting pods: they count as owned from now on. */
    ReplicaSetView withAdopted(Collection<V1Pod> adopted) {
        List<V1Pod> owned = new ArrayList<>(claim.owned());
        owned.addAll(adopted);
        return new ReplicaSetView(ownerType, set, new ControllerRefManager.Claim<>(owned, List.of(), List.of()),
                terminating, relatedPerNode, mayScale, now);
    }

    /** The active pods that it owns. */
    List<V1Pod> owned() {
        return claim.owned();
    }

    int wanted() {
        Integer replicas = set.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }

    int minReadySeconds() {
        Integer seconds = set.getSpec().getMinReadySeconds();
        return seconds == null ? 0 : seconds;
    }

    boolean isDeleting() {
        return set.getMetadata().getDeletionTimestamp() != null;
    }
}
