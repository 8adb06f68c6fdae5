package dev.wheelhouse.controllers.replicaset;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;

/** Computes a ReplicaSet's status (upstream: {@code pkg/controller/replicaset/replica_set_utils.go}). */
final class ReplicaSetStatuses {
    static final String REPLICA_FAILURE = "ReplicaFailure";

    /**
     * The failure of creating or deleting pods.
     *
     * @param reason {@code FailedCreate} or {@code FailedDelete}
     */
    record Failure(String reason, String message) {}

    private ReplicaSetStatuses() {}

    /**
     * The status for a view. Counts of zero are omitted, except {@code replicas} and {@code terminatingReplicas}, as
     * the API does. A ReplicationController has no {@code terminatingReplicas}.
     */
    static V1ReplicaSetStatus of(ReplicaSetView view, @Nullable Failure failure) {
        Map<String, String> template = view.set().getSpec().getTemplate() == null
                || view.set().getSpec().getTemplate().getMetadata() == null
                || view.set().getSpec().getTemplate().getMetadata().getLabels() == null
                        ? Map.of()
                        : view.set().getSpec().getTemplate().getMetadata().getLabels();
        int labeled = 0;
        int ready = 0;
        int available = 0;
        for (V1Pod pod : view.owned()) {
            Map<String, String> labels = pod.getMetadata().getLabels();
            if (labels != null ? labels.entrySet().containsAll(template.entrySet()) : template.isEmpty()) {
                labeled++;
            }
            if (Pods.isReady(pod)) {
                ready++;
            }
            if (Pods.isAvailable(pod, view.minReadySeconds(), view.now())) {
                available++;
            }
        }
        return new V1ReplicaSetStatus().replicas(view.owned().size()).fullyLabeledReplicas(orNull(labeled))
                .readyReplicas(orNull(ready)).availableReplicas(orNull(available))
                .terminatingReplicas(
                        view.ownerType().equals(ResourceType.REPLICATION_CONTROLLERS)
                                ? null
                                : view.terminating().size())
                .observedGeneration(view.set().getMetadata().getGeneration())
                .conditions(conditions(view, failure));
    }

    private static @Nullable Integer orNull(int count) {
        return count == 0 ? null : count;
    }

    /** The conditions. An existing failure condition is kept with its time, also while the set is being deleted. */
    private static @Nullable List<V1ReplicaSetCondition> conditions(ReplicaSetView view,
            @Nullable Failure failure) {
        V1ReplicaSetStatus before = view.set().getStatus();
        List<V1ReplicaSetCondition> conditions = before == null || before.getConditions() == null
                ? List.of()
                : before.getConditions();
        boolean shown = conditions.stream().anyMatch(c -> REPLICA_FAILURE.equals(c.getType()));
        List<V1ReplicaSetCondition> next = new ArrayList<>(conditions);
        if (failure != null && !shown) {
            next.add(new V1ReplicaSetCondition().type(REPLICA_FAILURE).status("True").reason(failure.reason())
                    .message(failure.message())
                    .lastTransitionTime(OffsetDateTime.ofInstant(view.now(), ZoneOffset.UTC)
                            .truncatedTo(ChronoUnit.SECONDS)));
        } else if (failure == null && !view.isDeleting()) {
            next.removeIf(c -> REPLICA_FAILURE.equals(c.getType()));
        }
        return next.isEmpty() ? null : next;
    }

    /** Whether two statuses are equal. Zero equals absent, except for {@code terminatingReplicas}. */
    static boolean same(@Nullable V1ReplicaSetStatus a, V1ReplicaSetStatus b) {
        return a != null && count(a.getReplicas()) == count(b.getReplicas())
                && count(a.getFullyLabeledReplicas()) == count(b.getFullyLabeledReplicas())
                && count(a.getReadyReplicas()) == count(b.getReadyReplicas())
                && count(a.getAvailableReplicas()) == count(b.getAvailableReplicas())
                && Objects.equals(a.getTerminatingReplicas(), b.getTerminatingReplicas())
                && Objects.equals(a.getObservedGeneration(), b.getObservedGeneration())
                && conditionsOf(a).equals(conditionsOf(b));
    }

    private static int count(@Nullable Integer count) {
        return count == null ? 0 : count;
    }

    private static List<V1ReplicaSetCondition> conditionsOf(V1ReplicaSetStatus status) {
        return status.getConditions() == null ? List.of() : status.getConditions();
    }
}
