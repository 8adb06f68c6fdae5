package dev.wheelhouse.scheduler;

import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Pod;

/** Predicates that decide how the scheduler treats a pod. */
final class PodPredicates {
    private PodPredicates() {}

    static boolean isAssigned(V1Pod pod) {
        return pod.getSpec() != null && pod.getSpec().getNodeName() != null && !pod.getSpec().getNodeName().isEmpty();
    }

    /** Whether the pod has ended, so that it uses no resources any more. */
    static boolean isTerminal(V1Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    /** Whether the pod waits for a node from this scheduler. */
    static boolean isOurs(V1Pod pod) {
        if (pod.getSpec() == null || isAssigned(pod) || isTerminal(pod)
                || pod.getMetadata().getDeletionTimestamp() != null) {
            return false;
        }
        String scheduler = pod.getSpec().getSchedulerName();
        boolean gated = pod.getSpec().getSchedulingGates() != null && !pod.getSpec().getSchedulingGates().isEmpty();
        return !gated && (scheduler == null || scheduler.isEmpty() || scheduler.equals(Scheduler.NAME));
    }

    /** Whether two versions of a pod are equal for scheduling. */
    static boolean sameForScheduling(V1Pod a, V1Pod b) {
        return Objects.equals(a.getSpec(), b.getSpec())
                && Objects.equals(a.getMetadata().getLabels(), b.getMetadata().getLabels())
                && (a.getMetadata().getDeletionTimestamp() == null) == (b.getMetadata().getDeletionTimestamp() == null);
    }
}
