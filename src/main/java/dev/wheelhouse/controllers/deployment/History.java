package dev.wheelhouse.controllers.deployment;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * Deletes the oldest ReplicaSets beyond {@code revisionHistoryLimit} (upstream: {@code cleanupDeployment} in
 * {@code sync.go}).
 */
final class History {
    private History() {}

    static void cleanUp(Draft draft) {
        Integer limit = draft.deployment().getSpec().getRevisionHistoryLimit();
        if (limit == null || limit == Integer.MAX_VALUE) {
            return;
        }
        List<ReplicaSetDraft> cleanable = draft.oldReplicaSets().stream().filter(r -> !r.isBeingDeleted())
                .sorted(byRevision(draft)).toList();
        int surplus = cleanable.size() - limit;
        for (ReplicaSetDraft old : cleanable.subList(0, Math.max(0, surplus))) {
            if (isEmptyAndSettled(old)) {
                draft.delete(old, "revision history limit " + limit);
            }
        }
    }

    /** Whether a ReplicaSet has no pods, wants none, and its controller has observed its latest size. */
    private static boolean isEmptyAndSettled(ReplicaSetDraft replicaSet) {
        Long generation = replicaSet.meta().getGeneration();
        return replicaSet.actualReplicas() == 0 && replicaSet.replicas() == 0
                && (generation == null || generation <= replicaSet.observedGeneration());
    }

    /**
     * By revision, then by age. By age only if a revision is not a number, because the order would not be transitive.
     */
    private static Comparator<ReplicaSetDraft> byRevision(Draft draft) {
        boolean comparable = draft.oldReplicaSets().stream().map(NewReplicaSet::of).allMatch(OptionalLong::isPresent);
        return comparable
                ? Comparator.<ReplicaSetDraft>comparingLong(r -> NewReplicaSet.of(r).orElse(0))
                        .thenComparing(ReplicaSetDraft.BY_AGE)
                : ReplicaSetDraft.BY_AGE;
    }
}
