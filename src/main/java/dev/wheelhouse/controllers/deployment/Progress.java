package dev.wheelhouse.controllers.deployment;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;

import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Computes the Progressing condition: a rollout progresses, is complete, has exceeded its deadline, or is paused
 * (upstream: {@code progress.go}, {@code checkPausedConditions} in {@code sync.go}).
 */
final class Progress {
    private static final String AVAILABLE = "NewReplicaSetAvailable";
    private static final String TIMED_OUT = "ProgressDeadlineExceeded";
    private static final String PAUSED = "DeploymentPaused";
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration JUST_PAST = Duration.ofMillis(5);

    private Progress() {}

    static boolean hasDeadline(V1Deployment deployment) {
        Integer seconds = deployment.getSpec().getProgressDeadlineSeconds();
        return seconds != null && seconds != Integer.MAX_VALUE;
    }

    /** Records that the Deployment was paused or resumed, so that a pause does not count as a lack of progress. */
    static void pauseOrResume(Draft draft) {
        V1DeploymentCondition current = DeploymentConditions.find(draft.status(), DeploymentConditions.PROGRESSING);
        if (!hasDeadline(draft.deployment()) || DeploymentConditions.hasReason(current, TIMED_OUT)
                || draft.isPaused() == DeploymentConditions.hasReason(current, PAUSED)) {
            return;
        }
        draft.set(DeploymentConditions.PROGRESSING, "Unknown", draft.isPaused() ? PAUSED : "DeploymentResumed",
                "Deployment is " + (draft.isPaused() ? "paused" : "resumed"));
    }

    /**
     * Whether all replicas are updated and available, no old replica is left, and the status is of the current
     * generation.
     */
    static boolean isComplete(Draft draft, V1DeploymentStatus status) {
        int replicas = draft.replicas();
        Long generation = draft.deployment().getMetadata().getGeneration();
        Long observed = status.getObservedGeneration();
        return orZero(status.getUpdatedReplicas()) == replicas
                && orZero(status.getReplicas()) == replicas
                && orZero(status.getAvailableReplicas()) == replicas
                && orZero(observed) >= orZero(generation);
    }

    /** Sets the counts and conditions of a rollout, and requeues the Deployment for its deadline. */
    static void report(Draft draft) {
        V1DeploymentStatus status = draft.status();
        DeploymentStatuses.compute(draft);
        if (hasDeadline(draft.deployment())) {
            estimate(draft, status);
        } else {
            DeploymentConditions.remove(status, DeploymentConditions.PROGRESSING);
        }
        V1DeploymentCondition failure = replicaFailure(draft);
        if (failure != null) {
            DeploymentConditions.set(status, failure);
        } else {
            DeploymentConditions.remove(status, DeploymentConditions.REPLICA_FAILURE);
        }
        if (DeploymentStatuses.same(draft.statusBefore(), status)) {
            lookAgain(draft);
        }
    }

    private static void estimate(Draft draft, V1DeploymentStatus status) {
        V1DeploymentCondition current = DeploymentConditions.find(status, DeploymentConditions.PROGRESSING);
        boolean wasAvailable = DeploymentConditions.hasReason(current, AVAILABLE);
        if (wasAvailable && orZero(status.getReplicas()) == orZero(status.getUpdatedReplicas())
                && !draft.rolloutBegins()) {
            return;
        }
        boolean complete = isComplete(draft, status);
        if (complete && isObserved(draft.newReplicaSet())) {
            set(draft, "True", AVAILABLE, "has successfully progressed.");
        } else if (progresses(draft.statusBefore(), status)) {
            DeploymentConditions.replace(status, condition(draft, "True", "ReplicaSetUpdated", "is progressing."));
        } else if (wasAvailable && draft.rolloutBegins()) {
            // The success of the last rollout must not hide the deadline of this one.
            set(draft, "True", "ReplicaSetUpdated", "is progressing.");
        } else if (!complete && isTimedOut(draft, current)) {
            set(draft, "False", TIMED_OUT, "has timed out progressing.");
        }
    }

    /** With another minReadySeconds, the counts of a ReplicaSet are outdated until its controller has seen it. */
    private static boolean isObserved(@Nullable ReplicaSetDraft replicaSet) {
        return replicaSet == null || replicaSet.isObserved();
    }

    private static void set(Draft draft, String status, String reason, String message) {
        DeploymentConditions.set(draft.status(), condition(draft, status, reason, message));
    }

    private static V1DeploymentCondition condition(Draft draft, String status, String reason, String message) {
        ReplicaSetDraft replicaSet = draft.newReplicaSet();
        String about = replicaSet == null
                ? "Deployment \"" + draft.name()
                : "ReplicaSet \"" + replicaSet.name();
        return draft.condition(DeploymentConditions.PROGRESSING, status, reason, about + "\" " + message);
    }

    /** Whether there are more updated, fewer old, more ready or more available pods than in the last written status. */
    private static boolean progresses(V1DeploymentStatus before, V1DeploymentStatus after) {
        return updated(after) > updated(before)
                || orZero(after.getReplicas()) - updated(after) < orZero(before.getReplicas()) - updated(before)
                || orZero(after.getReadyReplicas()) > orZero(before.getReadyReplicas())
                || orZero(after.getAvailableReplicas()) > orZero(before.getAvailableReplicas());
    }

    private static int updated(V1DeploymentStatus status) {
        return orZero(status.getUpdatedReplicas());
    }

    private static boolean isTimedOut(Draft draft, @Nullable V1DeploymentCondition current) {
        if (current == null || DeploymentConditions.hasReason(current, AVAILABLE)) {
            return false;
        }
        return DeploymentConditions.hasReason(current, TIMED_OUT)
                || deadline(draft, current).isBefore(draft.view().now());
    }

    private static Instant deadline(Draft draft, V1DeploymentCondition current) {
        Instant from = current.getLastUpdateTime() == null
                ? draft.view().now()
                : current.getLastUpdateTime().toInstant();
        return Durations.after(from, draft.deployment().getSpec().getProgressDeadlineSeconds());
    }

    /**
     * Requeues the Deployment one second after its deadline, because no other change may do so. If less than a second
     * is left, requeues it after that time, as upstream does; the sync may then repeat until the deadline is over.
     */
    private static void lookAgain(Draft draft) {
        V1DeploymentCondition current = DeploymentConditions.find(draft.status(), DeploymentConditions.PROGRESSING);
        if (!hasDeadline(draft.deployment()) || current == null || isComplete(draft, draft.status())
                || DeploymentConditions.hasReason(current, TIMED_OUT)
                || DeploymentConditions.hasReason(current, AVAILABLE)) {
            return;
        }
        Duration left = Duration.between(draft.view().now(), deadline(draft, current));
        draft.requeueAfter(left.compareTo(SHORT) < 0
                ? (left.isNegative() ? Duration.ZERO : left).plus(JUST_PAST)
                : left.plusSeconds(1));
    }

    /** The ReplicaFailure condition of the new ReplicaSet, else of an old one; null if there is none. */
    private static @Nullable V1DeploymentCondition replicaFailure(Draft draft) {
        ReplicaSetDraft replicaSet = draft.newReplicaSet();
        return Stream.concat(Stream.ofNullable(replicaSet), draft.allReplicaSets())
                .flatMap(r -> orEmpty(r.status().getConditions()).stream())
                .filter(c -> DeploymentConditions.REPLICA_FAILURE.equals(c.getType())).findFirst()
                .map(c -> new V1DeploymentCondition().type(c.getType()).status(c.getStatus()).reason(c.getReason())
                        .message(c.getMessage()).lastTransitionTime(c.getLastTransitionTime())
                        .lastUpdateTime(c.getLastTransitionTime()))
                .orElse(null);
    }
}
