package dev.wheelhouse.controllers.deployment;

/**
 * The strategy Recreate: new pods start after all old pods have ended, so that they never run together (upstream:
 * {@code recreate.go}).
 */
final class Recreate {
    private Recreate() {}

    static void decide(Draft draft) {
        boolean scaledDown = false;
        for (ReplicaSetDraft old : draft.activeOldReplicaSets()) {
            scaledDown |= draft.resize(old, 0, "recreate: old pods go first");
        }
        if (!scaledDown && !oldPodsRunning(draft)) {
            ReplicaSetDraft replicaSet = NewReplicaSet.ensureNew(draft);
            if (!replicaSet.isToCreate()) {
                draft.resize(replicaSet, draft.replicas(), "recreate: no old pod is left");
            }
            if (Progress.isComplete(draft, draft.statusBefore())) {
                History.cleanUp(draft);
            }
        }
        Progress.report(draft);
    }

    /** Whether old pods are running. Pods that are being deleted count; pods that succeeded or failed do not. */
    private static boolean oldPodsRunning(Draft draft) {
        return draft.oldReplicaSets().stream().anyMatch(old -> old.actualReplicas() > 0
                || draft.view().unfinishedPods().getOrDefault(String.valueOf(old.uid()), 0) > 0);
    }
}
