package dev.wheelhouse.controllers.pods;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.runtime.Durations;

/**
 * The condition {@code DisruptionTarget} that a controller gives to a pod before it deletes the pod (upstream:
 * {@code PatchPodStatus} in {@code pkg/util/pod/pod.go}).
 *
 * @param reason the condition's reason, such as {@code DeletionByPodGC}
 * @param message the condition's message
 */
public record DisruptionTarget(String reason, String message) {
    private static final String TYPE = "DisruptionTarget";

    /** The condition as True in a patch. It keeps the time since which it is True. */
    public Map<String, @Nullable Object> condition(V1Pod pod, Instant now) {
        V1PodCondition present = Pods.condition(pod, TYPE);
        OffsetDateTime since = present != null && "True".equals(present.getStatus())
                && present.getLastTransitionTime() != null
                        ? present.getLastTransitionTime()
                        : Durations.wholeSeconds(now);
        Map<String, @Nullable Object> condition = new LinkedHashMap<>();
        condition.put("type", TYPE);
        condition.put("status", "True");
        condition.put("reason", reason);
        condition.put("message", message);
        condition.put("lastProbeTime", null);
        condition.put("lastTransitionTime", ModelJson.time(since));
        Long generation = pod.getMetadata().getGeneration();
        if (generation != null) {
            condition.put("observedGeneration", generation);
        }
        return condition;
    }

    /** Whether the pod has this condition with this reason and message. */
    public boolean isOn(V1Pod pod) {
        V1PodCondition present = Pods.condition(pod, TYPE);
        return present != null && "True".equals(present.getStatus()) && reason.equals(present.getReason())
                && message.equals(present.getMessage());
    }

    /** A patch of fields of a pod's status, which fails if another pod has the name. */
    public static Action.Write patch(V1Pod pod, Map<String, ?> status, String why) {
        return new Action.Patch(ResourceType.PODS, ObjectKey.of(pod), "status", PatchType.STRATEGIC_MERGE,
                ModelJson.write(Map.of("metadata", Map.of("uid", String.valueOf(pod.getMetadata().getUid())),
                        "status", status)),
                why);
    }

    /** A patch of the condition alone. */
    public Action.Write patch(V1Pod pod, Instant now, String why) {
        return patch(pod, Map.of("conditions", List.of(condition(pod, now))), why);
    }
}
