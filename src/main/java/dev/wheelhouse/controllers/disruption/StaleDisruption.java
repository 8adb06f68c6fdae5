package dev.wheelhouse.controllers.disruption;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Durations;

/**
 * The condition of a pod that was to be disrupted but is not being deleted (upstream: {@code syncStalePodDisruption} in
 * {@code disruption.go}). After two minutes the condition becomes False. The methods are pure functions.
 */
final class StaleDisruption {
    static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String TARGET = "DisruptionTarget";

    private StaleDisruption() {}

    /**
     * The time until the condition is stale, zero if it is; null if it cannot become stale. The conditions of kubelets,
     * and of pods that have ended, stay.
     */
    static @Nullable Duration untilStale(V1Pod pod, Instant now) {
        V1PodCondition target = Pods.condition(pod, TARGET);
        if (target == null || !"True".equals(target.getStatus())
                || "TerminationByKubelet".equals(target.getReason())
                || Pods.isDeleting(pod) || Pods.isFinished(pod)) {
            return null;
        }
        if (target.getLastTransitionTime() == null) {
            return Duration.ZERO;
        }
        Duration left = Duration.between(now, target.getLastTransitionTime().toInstant().plus(TIMEOUT));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** The write that makes the condition of a pod False. */
    static Action end(V1Pod pod, Instant now) {
        V1Pod changed = ModelJson.copy(pod);
        List<V1PodCondition> conditions = new ArrayList<>(changed.getStatus().getConditions());
        conditions.replaceAll(condition -> TARGET.equals(condition.getType())
                ? new V1PodCondition().type(TARGET).status("False")
                        .observedGeneration(pod.getMetadata().getGeneration())
                        .lastTransitionTime(Durations.wholeSeconds(now))
                : condition);
        changed.getStatus().setConditions(conditions);
        return new Action.UpdateStatus(ResourceType.PODS, changed, "it was to be disrupted and was not");
    }
}
