package dev.wheelhouse.controllers.statefulset;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;

import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orZero;

/** Computes a StatefulSet's status (upstream: {@code pkg/controller/statefulset/stateful_set_control.go}). */
final class StatefulSetStatuses {
    private StatefulSetStatuses() {}

    /** The status of these pods. A rolling update may make it complete, see {@link #complete}. */
    static V1StatefulSetStatus of(StatefulSetView view, SetRevisions revisions, List<V1Pod> pods) {
        int replicas = 0;
        int ready = 0;
        int available = 0;
        int current = 0;
        int updated = 0;
        for (V1Pod pod : pods) {
            String phase = Pods.phase(pod);
            if (phase.isEmpty()) {
                continue;
            }
            replicas++;
            if (phase.equals("Running") && Pods.isReady(pod)) {
                ready++;
                available += Pods.isAvailable(pod, view.minReadySeconds(), view.now()) ? 1 : 0;
            }
            if (!Pods.isDeleting(pod)) {
                String revision = Identity.revision(pod);
                current += revision.equals(revisions.currentName()) ? 1 : 0;
                updated += revision.equals(revisions.updateName()) ? 1 : 0;
            }
        }
        return new V1StatefulSetStatus().observedGeneration(view.set().getMetadata().getGeneration())
                .currentRevision(revisions.currentName()).updateRevision(revisions.updateName())
                .collisionCount(revisions.collisionCount()).replicas(replicas).readyReplicas(ready)
                .availableReplicas(available).currentReplicas(current).updatedReplicas(updated);
    }

    /** Makes the update revision the current one when a rolling update has reached all pods. */
    static void complete(StatefulSetView view, V1StatefulSetStatus status) {
        int replicas = view.replicas();
        if (view.updatesRolling() && orZero(status.getUpdatedReplicas()) == replicas
                && orZero(status.getReadyReplicas()) == replicas && orZero(status.getReplicas()) == replicas) {
            status.currentReplicas(status.getUpdatedReplicas()).currentRevision(status.getUpdateRevision());
        }
    }

    /** Whether a status must be written. The conditions and the collision count alone are no reason. */
    static boolean differs(@Nullable V1StatefulSetStatus before, V1StatefulSetStatus status) {
        V1StatefulSetStatus known = before == null ? new V1StatefulSetStatus() : before;
        return generation(status) > generation(known)
                || orZero(status.getReplicas()) != orZero(known.getReplicas())
                || orZero(status.getCurrentReplicas()) != orZero(known.getCurrentReplicas())
                || orZero(status.getReadyReplicas()) != orZero(known.getReadyReplicas())
                || orZero(status.getUpdatedReplicas()) != orZero(known.getUpdatedReplicas())
                || orZero(status.getAvailableReplicas()) != orZero(known.getAvailableReplicas())
                || !Objects.equals(status.getCurrentRevision(), known.getCurrentRevision())
                || !Objects.equals(status.getUpdateRevision(), known.getUpdateRevision());
    }

    private static long generation(V1StatefulSetStatus status) {
        return orZero(status.getObservedGeneration());
    }
}
