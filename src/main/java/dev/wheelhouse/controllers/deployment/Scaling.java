package dev.wheelhouse.controllers.deployment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Scales a Deployment whose replicas changed. During a rollout the ReplicaSets share the change in proportion to their
 * sizes (upstream: {@code isScalingEvent} and {@code scale} in {@code sync.go}, {@code GetReplicaSetProportion}).
 */
final class Scaling {
    private static final String WHY = "the Deployment was scaled";

    private Scaling() {}

    /**
     * Whether the Deployment's replicas have changed since its ReplicaSets were last resized. False for Recreate with
     * several active ReplicaSets, because only the rollout can scale these (upstream waits for ever in that case).
     */
    static boolean isScalingEvent(Draft draft) {
        List<ReplicaSetDraft> active = draft.activeReplicaSets();
        boolean stale = active.stream().anyMatch(replicaSet -> notesAnotherSize(draft, replicaSet));
        return stale && (active.size() == 1 || isSaturated(draft) || Fenceposts.isRollingUpdate(draft.deployment()));
    }

    private static boolean notesAnotherSize(Draft draft, ReplicaSetDraft replicaSet) {
        OptionalInt desired = Annotations.count(replicaSet.meta(), Annotations.DESIRED_REPLICAS);
        return desired.isPresent() && desired.getAsInt() != draft.replicas();
    }

    /**
     * Scales the only active ReplicaSet, or the latest if none is active. Else removes the old replicas if the new
     * ReplicaSet is saturated. Else scales all active ReplicaSets in proportion.
     */
    static void scale(Draft draft) {
        List<ReplicaSetDraft> active = draft.activeReplicaSets();
        if (active.size() < 2) {
            ReplicaSetDraft only = active.isEmpty() ? latest(draft) : active.getFirst();
            if (only != null && !draft.resize(only, draft.replicas(), WHY) && only.isActive()
                    && notesAnotherSize(draft, only)) {
                // Upstream leaves the outdated annotation, and then treats every sync as a scaling event.
                draft.noteSize(only, WHY);
            }
        } else if (isSaturated(draft)) {
            for (ReplicaSetDraft old : draft.activeOldReplicaSets()) {
                draft.resize(old, 0, "the new ReplicaSet has all replicas");
            }
        } else if (Fenceposts.isRollingUpdate(draft.deployment())) {
            byProportion(draft, active);
        }
    }

    private static @Nullable ReplicaSetDraft latest(Draft draft) {
        ReplicaSetDraft replicaSet = draft.newReplicaSet();
        return replicaSet != null
                ? replicaSet
                : draft.oldReplicaSets().stream().max(ReplicaSetDraft.BY_AGE).orElse(null);
    }

    /** Whether the new ReplicaSet has all replicas, its annotation says so too, and all are available. */
    static boolean isSaturated(Draft draft) {
        ReplicaSetDraft replicaSet = draft.newReplicaSet();
        if (replicaSet == null) {
            return false;
        }
        OptionalInt desired = Annotations.count(replicaSet.meta(), Annotations.DESIRED_REPLICAS);
        return replicaSet.replicas() == draft.replicas() && desired.isPresent()
                && desired.getAsInt() == draft.replicas() && replicaSet.availableReplicas() == draft.replicas();
    }

    private static void byProportion(Draft draft, List<ReplicaSetDraft> active) {
        int allowed = draft.replicas() > 0 ? draft.replicas() + draft.maxSurge() : 0;
        int toAdd = allowed - active.stream().mapToInt(ReplicaSetDraft::replicas).sum();
        Comparator<ReplicaSetDraft> order = toAdd > 0
                ? ReplicaSetDraft.BY_SIZE_NEWER
                : toAdd < 0 ? ReplicaSetDraft.BY_SIZE_OLDER : ReplicaSetDraft.BY_AGE;
        List<ReplicaSetDraft> ordered = new ArrayList<>(active);
        ordered.sort(order);
        Map<ReplicaSetDraft, Integer> sizes = new HashMap<>();
        int added = 0;
        for (ReplicaSetDraft replicaSet : ordered) {
            int share = proportion(draft, replicaSet, toAdd, added);
            sizes.put(replicaSet, replicaSet.replicas() + share);
            added += share;
        }
        int leftOver = toAdd - added;
        sizes.compute(ordered.getFirst(), (replicaSet, size) -> Math.max(0, orZero(size) + leftOver));
        // Shrink first, so that there are never more pods than allowed between two writes.
        ordered.sort(Comparator.comparing(replicaSet -> sizes.getOrDefault(replicaSet, 0) >= replicaSet.replicas()));
        for (ReplicaSetDraft replicaSet : ordered) {
            if (!draft.resize(replicaSet, sizes.getOrDefault(replicaSet, 0), WHY)) {
                draft.noteSize(replicaSet, WHY);
            }
        }
    }

    /** The share of a ReplicaSet in the replicas to add; negative if replicas are to be removed. */
    private static int proportion(Draft draft, ReplicaSetDraft replicaSet, int toAdd, int added) {
        if (toAdd == 0 || toAdd == added) {
            return 0;
        }
        int fraction = fraction(draft, replicaSet);
        int left = toAdd - added;
        return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    }

    private static int fraction(Draft draft, ReplicaSetDraft replicaSet) {
        int size = replicaSet.replicas();
        if (draft.replicas() == 0) {
            return -size;
        }
        long maxBefore = Annotations.count(replicaSet.meta(), Annotations.MAX_REPLICAS).orElse(0);
        if (maxBefore == 0) {
            Integer replicas = draft.statusBefore().getReplicas();
            maxBefore = orZero(replicas);
        }
        if (maxBefore == 0) {
            return 0;
        }
        double wanted = (double) size * (draft.replicas() + draft.maxSurge()) / maxBefore;
        return (int) Math.clamp((long) (wanted + 0.5), 0, Integer.MAX_VALUE) - size;
    }
}
