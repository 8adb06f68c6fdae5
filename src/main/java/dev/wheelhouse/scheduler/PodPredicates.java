package dev.wheelhouse.scheduler;

import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Pod;

import static dev.wheelhouse.api.Absent.orEmpty;

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

    /** Whether the pod waits for a node. @param gated whether it first waits for its gates to go */
    static boolean waits(V1Pod pod, boolean gated) {
        return pod.getSpec() != null && !isAssigned(pod) && !isTerminal(pod)
                && pod.getMetadata().getDeletionTimestamp() == null
                && !(gated && !orEmpty(pod.getSpec().getSchedulingGates()).isEmpty());
    }

    /** Whether two versions of a pod are equal for scheduling. */
    static boolean sameForScheduling(V1Pod a, V1Pod b) {
        return Objects.equals(a.getSpec(), b.getSpec())
                && Objects.equals(a.getMetadata().getLabels(), b.getMetadata().getLabels())
                && (a.getMetadata().getDeletionTimestamp() == null) == (b.getMetadata().getDeletionTimestamp() == null);
    }
}
