package dev.wheelhouse.controllers.deployment;

import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1DeploymentStatus;

import static dev.wheelhouse.api.Absent.orNull;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Computes a Deployment's counts and its Available condition (upstream: {@code calculateStatus} in {@code sync.go}).
 */
final class DeploymentStatuses {
    private DeploymentStatuses() {}

    /** Sets the counts and the Available condition. Other conditions stay as they are in the draft. */
    static void compute(Draft draft) {
        V1DeploymentStatus status = draft.status();
        int available = draft.allReplicaSets().mapToInt(ReplicaSetDraft::availableReplicas).sum();
        ReplicaSetDraft replicaSet = draft.newReplicaSet();
        status.setObservedGeneration(draft.deployment().getMetadata().getGeneration());
        status.setReplicas(
                orNull(draft.allReplicaSets().mapToInt(ReplicaSetDraft::actualReplicas).sum()));
        status.setUpdatedReplicas(orNull(replicaSet == null ? 0 : replicaSet.actualReplicas()));
        status.setReadyReplicas(
                orNull(draft.allReplicaSets().mapToInt(ReplicaSetDraft::readyReplicas).sum()));
        status.setAvailableReplicas(orNull(available));
        status.setUnavailableReplicas(orNull(Math.max(0, draft.totalReplicas() - available)));
        status.setTerminatingReplicas(terminating(draft));
        boolean enough = available >= draft.replicas() - draft.maxUnavailable();
        if (enough) {
            draft.set(DeploymentConditions.AVAILABLE, "True", "MinimumReplicasAvailable",
                    "Deployment has minimum availability.");
        } else {
            draft.set(DeploymentConditions.AVAILABLE, "False", "MinimumReplicasUnavailable",
                    "Deployment does not have minimum availability.");
        }
    }

    /** The sum over the ReplicaSets; null if the status of one has been observed but has no such count. */
    private static @Nullable Integer terminating(Draft draft) {
        int sum = 0;
        for (ReplicaSetDraft replicaSet : draft.allReplicaSets().toList()) {
            Integer count = replicaSet.status().getTerminatingReplicas();
            if (count != null) {
                sum += count;
            } else if (replicaSet.observedGeneration() != 0) {
                return null;
            }
        }
        return sum;
    }

    /** Whether two statuses are equal for the API server, which omits counts of zero. */
    static boolean same(V1DeploymentStatus a, V1DeploymentStatus b) {
        return orZero(a.getReplicas()) == orZero(b.getReplicas())
                && orZero(a.getUpdatedReplicas()) == orZero(b.getUpdatedReplicas())
                && orZero(a.getReadyReplicas()) == orZero(b.getReadyReplicas())
                && orZero(a.getAvailableReplicas()) == orZero(b.getAvailableReplicas())
                && orZero(a.getUnavailableReplicas()) == orZero(b.getUnavailableReplicas())
                && Objects.equals(a.getTerminatingReplicas(), b.getTerminatingReplicas())
                && Objects.equals(a.getObservedGeneration(), b.getObservedGeneration())
                && Objects.equals(a.getCollisionCount(), b.getCollisionCount())
                && DeploymentConditions.list(a).equals(DeploymentConditions.list(b));
    }

    /** A one-line summary for the log. */
    static String summary(V1DeploymentStatus status, boolean revisionMoved) {
        return "replicas " + orZero(status.getReplicas()) + ", updated " + orZero(status.getUpdatedReplicas())
                + ", ready " + orZero(status.getReadyReplicas()) + ", available "
                + orZero(status.getAvailableReplicas()) + ", "
                + DeploymentConditions.list(status).stream()
                        .map(c -> c.getType() + "=" + c.getStatus() + "/" + c.getReason())
                        .collect(Collectors.joining(" "))
                + (revisionMoved ? ", a new revision" : "");
    }
}
