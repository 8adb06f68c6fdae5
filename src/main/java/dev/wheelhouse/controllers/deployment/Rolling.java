package dev.wheelhouse.controllers.deployment;

import java.util.List;

/**
 * A rolling update: grows the new ReplicaSet and shrinks the old ones within the {@link Fenceposts} (upstream:
 * {@code rolling.go}).
 */
final class Rolling {
    private Rolling() {}

    static void decide(Draft draft) {
        ReplicaSetDraft replicaSet = NewReplicaSet.ensureNew(draft);
        boolean scaled = sizeNew(draft, replicaSet) || scaleDownOld(draft, replicaSet);
        if (!scaled && Progress.isComplete(draft, draft.statusBefore())) {
            History.cleanUp(draft);
        }
        Progress.report(draft);
    }

    private static boolean sizeNew(Draft draft, ReplicaSetDraft replicaSet) {
        if (replicaSet.isToCreate()) {
            return false;
        }
        int size = replicaSet.replicas() > draft.replicas() ? draft.replicas() : sizeOfNew(draft, replicaSet);
        return draft.resize(replicaSet, size, "rolling update");
    }

    /** The size for the new ReplicaSet: all replicas, as far as the surge allows. */
    static int sizeOfNew(Draft draft, ReplicaSetDraft replicaSet) {
        if (!Fenceposts.isRollingUpdate(draft.deployment())) {
            return draft.replicas();
        }
        int room = draft.replicas() + draft.maxSurge()
                - draft.allReplicaSets().mapToInt(ReplicaSetDraft::occupiedReplicas).sum();
        int size = replicaSet.replicas();
        return room <= 0 ? size : size + Math.min(room, draft.replicas() - size);
    }

    private static boolean scaleDownOld(Draft draft, ReplicaSetDraft replicaSet) {
        List<ReplicaSetDraft> old = draft.activeOldReplicaSets();
        if (old.isEmpty()) {
            return false;
        }
        int minAvailable = draft.replicas() - draft.maxUnavailable();
        int newUnavailable = replicaSet.replicas() - replicaSet.lastingAvailableReplicas();
        int removable = draft.totalReplicas() - minAvailable - newUnavailable;
        if (removable <= 0) {
            return false;
        }
        boolean cleaned = cleanUpUnhealthy(draft, old, removable);
        return scaleDownAvailable(draft, old, minAvailable) || cleaned;
    }

    /** Removes old replicas that are not available. This does not reduce the number of available pods. */
    private static boolean cleanUpUnhealthy(Draft draft, List<ReplicaSetDraft> old, int removable) {
        int left = removable;
        boolean scaled = false;
        for (ReplicaSetDraft replicaSet : old) {
            int unhealthy = Math.min(left, replicaSet.replicas() - replicaSet.lastingAvailableReplicas());
            if (unhealthy > 0) {
                scaled |= draft.resize(replicaSet, replicaSet.replicas() - unhealthy,
                        "old replicas that are not available");
                left -= unhealthy;
            }
        }
        return scaled;
    }

    private static boolean scaleDownAvailable(Draft draft, List<ReplicaSetDraft> old, int minAvailable) {
        int available = draft.allReplicaSets().mapToInt(ReplicaSetDraft::lastingAvailableReplicas).sum();
        int left = available - minAvailable;
        boolean scaled = false;
        for (ReplicaSetDraft replicaSet : old) {
            int fewer = Math.min(left, replicaSet.replicas());
            if (fewer > 0) {
                scaled |= draft.resize(replicaSet, replicaSet.replicas() - fewer, "rolling update");
                left -= fewer;
            }
        }
        return scaled;
    }
}
