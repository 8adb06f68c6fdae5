package dev.wheelhouse.controllers.statefulset;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1RollingUpdateStatefulSetStrategy;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetUpdateStrategy;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The input of a decision about one StatefulSet.
 *
 * @param set belongs to the cache, so nobody may change it
 * @param pods the pods that the set owns, in any phase
 * @param claims finds a claim in the set's namespace by its name; null if there is none
 * @param now the current time
 */
record StatefulSetView(V1StatefulSet set, List<V1Pod> pods,
        Function<String, @Nullable V1PersistentVolumeClaim> claims, Instant now) {

    String name() {
        return set.getMetadata().getName();
    }

    int replicas() {
        return Objects.requireNonNullElse(set.getSpec().getReplicas(), 1);
    }

    /** The first ordinal. */
    int start() {
        var ordinals = set.getSpec().getOrdinals();
        return ordinals == null ? 0 : orZero(ordinals.getStart());
    }

    boolean isInRange(int ordinal) {
        return ordinal >= start() && ordinal <= last();
    }

    /** The last ordinal; less than the first if no pod is wanted. */
    int last() {
        return (int) Math.min((long) start() + replicas() - 1, Integer.MAX_VALUE - 1);
    }

    int minReadySeconds() {
        return orZero(set.getSpec().getMinReadySeconds());
    }

    boolean isDeleting() {
        return set.getMetadata().getDeletionTimestamp() != null;
    }

    /** Whether pods are created, updated and deleted one at a time, in the order of their ordinals. */
    boolean isOrdered() {
        return !"Parallel".equals(set.getSpec().getPodManagementPolicy());
    }

    boolean updatesOnDelete() {
        V1StatefulSetUpdateStrategy strategy = set.getSpec().getUpdateStrategy();
        return strategy != null && "OnDelete".equals(strategy.getType());
    }

    boolean updatesRolling() {
        V1StatefulSetUpdateStrategy strategy = set.getSpec().getUpdateStrategy();
        return strategy != null && "RollingUpdate".equals(strategy.getType());
    }

    @Nullable
    V1RollingUpdateStatefulSetStrategy rollingUpdate() {
        V1StatefulSetUpdateStrategy strategy = set.getSpec().getUpdateStrategy();
        return strategy == null ? null : strategy.getRollingUpdate();
    }

    /** How many pods, from the first ordinal on, stay at the current revision. */
    int partition() {
        V1RollingUpdateStatefulSetStrategy rolling = rollingUpdate();
        return rolling == null ? 0 : orZero(rolling.getPartition());
    }

    List<V1PersistentVolumeClaim> claimTemplates() {
        return orEmpty(set.getSpec().getVolumeClaimTemplates());
    }

    /** Whether a pod has a claim for which something is true. */
    boolean hasClaim(V1Pod pod, Predicate<V1PersistentVolumeClaim> which) {
        return claimTemplates().stream()
                .map(template -> claims.apply(Identity.claimName(name(), template, Identity.ordinal(pod))))
                .anyMatch(claim -> claim != null && which.test(claim));
    }
}
