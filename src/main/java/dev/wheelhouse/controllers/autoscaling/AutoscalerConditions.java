package dev.wheelhouse.controllers.autoscaling;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerCondition;

import dev.wheelhouse.runtime.Durations;

/** The conditions of an autoscaler, in the order in which they were set first. */
final class AutoscalerConditions {
    static final String ABLE_TO_SCALE = "AbleToScale";
    static final String SCALING_ACTIVE = "ScalingActive";
    static final String SCALING_LIMITED = "ScalingLimited";
    /** Set by servers that scale to zero; removed when this controller changes the replicas. */
    static final String SCALED_TO_ZERO = "ScaledToZero";

    private final List<V2HorizontalPodAutoscalerCondition> conditions = new ArrayList<>();
    private final OffsetDateTime now;

    AutoscalerConditions(@Nullable List<V2HorizontalPodAutoscalerCondition> before, Instant now) {
        if (before != null) {
            conditions.addAll(before);
        }
        this.now = Durations.wholeSeconds(now);
    }

    /** Adds or replaces a condition. Its time changes only with its status. */
    void set(String type, boolean status, String reason, String message) {
        String value = status ? "True" : "False";
        V2HorizontalPodAutoscalerCondition next = new V2HorizontalPodAutoscalerCondition().type(type).status(value)
                .reason(reason).message(message).lastTransitionTime(now);
        for (int i = 0; i < conditions.size(); i++) {
            if (type.equals(conditions.get(i).getType())) {
                boolean same = value.equals(conditions.get(i).getStatus());
                conditions.set(i, same ? next.lastTransitionTime(conditions.get(i).getLastTransitionTime()) : next);
                return;
            }
        }
        conditions.add(next);
    }

    void remove(String type) {
        conditions.removeIf(condition -> type.equals(condition.getType()));
    }

    List<V2HorizontalPodAutoscalerCondition> list() {
        return List.copyOf(conditions);
    }
}
