package dev.wheelhouse.controllers.replicaset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orNull;
import static dev.wheelhouse.api.Absent.orZero;

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
        V1PodTemplateSpec spec = view.set().getSpec().getTemplate();
        Map<String, String> template = Metadata.labels(spec == null ? null : spec.getMetadata());
        int labeled = 0;
        int ready = 0;
        int available = 0;
        for (V1Pod pod : view.owned()) {
            if (Metadata.labels(pod.getMetadata()).entrySet().containsAll(template.entrySet())) {
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

    /** The conditions. An existing failure condition is kept with its time, also while the set is being deleted. */
    private static @Nullable List<V1ReplicaSetCondition> conditions(ReplicaSetView view,
            @Nullable Failure failure) {
        V1ReplicaSetStatus before = view.set().getStatus();
        List<V1ReplicaSetCondition> conditions = before == null ? List.of() : orEmpty(before.getConditions());
        boolean shown = conditions.stream().anyMatch(c -> REPLICA_FAILURE.equals(c.getType()));
        List<V1ReplicaSetCondition> next = new ArrayList<>(conditions);
        if (failure != null && !shown) {
            next.add(new V1ReplicaSetCondition().type(REPLICA_FAILURE).status("True").reason(failure.reason())
                    .message(failure.message())
                    .lastTransitionTime(Durations.wholeSeconds(view.now())));
        } else if (failure == null && !view.isDeleting()) {
            next.removeIf(c -> REPLICA_FAILURE.equals(c.getType()));
        }
        return next.isEmpty() ? null : next;
    }

    /** Whether two statuses are equal. Zero equals absent, except for {@code terminatingReplicas}. */
    static boolean same(@Nullable V1ReplicaSetStatus a, V1ReplicaSetStatus b) {
        return a != null && orZero(a.getReplicas()) == orZero(b.getReplicas())
                && orZero(a.getFullyLabeledReplicas()) == orZero(b.getFullyLabeledReplicas())
                && orZero(a.getReadyReplicas()) == orZero(b.getReadyReplicas())
                && orZero(a.getAvailableReplicas()) == orZero(b.getAvailableReplicas())
                && Objects.equals(a.getTerminatingReplicas(), b.getTerminatingReplicas())
                && Objects.equals(a.getObservedGeneration(), b.getObservedGeneration())
                && orEmpty(a.getConditions()).equals(orEmpty(b.getConditions()));
    }
}
