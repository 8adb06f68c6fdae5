package dev.wheelhouse.scheduler;

import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Pod;

/** Questions about a pod that decide whether it is the scheduler's business. */
final class Pods {
    private Pods() {}

    static boolean isAssigned(V1Pod pod) {
        return pod.getSpec() != null && pod.getSpec().getNodeName() != null && !pod.getSpec().getNodeName().isEmpty();
    }

    /** Whether it has ended, so that it takes no place any more. */
    static boolean isTerminal(V1Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    /** Whether it waits for this scheduler to give it a node. */
    static boolean isOurs(V1Pod pod) {
        if (pod.getSpec() == null || isAssigned(pod) || isTerminal(pod)
                || pod.getMetadata().getDeletionTimestamp() != null) {
            return false;
        }
        String scheduler = pod.getSpec().getSchedulerName();
        boolean gated = pod.getSpec().getSchedulingGates() != null && !pod.getSpec().getSchedulingGates().isEmpty();
        return !gated && (scheduler == null || scheduler.isEmpty() || scheduler.equals(Scheduler.NAME));
    }

    /** Whether two versions of a pod make no difference to scheduling. */
    static boolean looksTheSame(V1Pod a, V1Pod b) {
        return Objects.equals(a.getSpec(), b.getSpec())
                && Objects.equals(a.getMetadata().getLabels(), b.getMetadata().getLabels())
                && (a.getMetadata().getDeletionTimestamp() == null) == (b.getMetadata().getDeletionTimestamp() == null);
    }
}
