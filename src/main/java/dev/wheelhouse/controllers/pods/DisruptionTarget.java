package dev.wheelhouse.controllers.pods;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
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
        V1PodCondition present = present(pod);
        OffsetDateTime since = present != null && "True".equals(present.getStatus())
                && present.getLastTransitionTime() != null
                        ? present.getLastTransitionTime()
                        : now.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
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
        V1PodCondition present = present(pod);
        return present != null && "True".equals(present.getStatus()) && reason.equals(present.getReason())
                && message.equals(present.getMessage());
    }

    private static @Nullable V1PodCondition present(V1Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getConditions() == null
                ? null
                : pod.getStatus().getConditions().stream().filter(c -> TYPE.equals(c.getType())).findFirst()
                        .orElse(null);
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
