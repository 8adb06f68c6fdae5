package dev.wheelhouse.scheduler;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.client.ModelJson;

/** Makes the bodies of the scheduler's writes. */
final class PodWrites {
    private static final String POD_SCHEDULED = "PodScheduled";
    private static final int LONGEST_EVENT = 1024;

    private PodWrites() {}

    static V1Binding binding(V1Pod pod, String node) {
        V1ObjectMeta meta = pod.getMetadata();
        return new V1Binding().apiVersion("v1").kind("Binding")
                .metadata(new V1ObjectMeta().namespace(meta.getNamespace()).name(meta.getName()).uid(meta.getUid()))
                .target(new V1ObjectReference().kind("Node").name(node));
    }

    /**
     * A strategic merge patch with the condition that the pod cannot be scheduled; null if the pod has that condition
     * already.
     */
    static @Nullable String unschedulable(V1Pod pod, String message, Instant now) {
        V1PodCondition before = condition(pod);
        OffsetDateTime since = now.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
        if (before != null && "False".equals(before.getStatus())) {
            if ("Unschedulable".equals(before.getReason()) && message.equals(before.getMessage())) {
                return null;
            }
            since = before.getLastTransitionTime() == null ? since : before.getLastTransitionTime();
        }
        Map<String, @Nullable Object> condition = new LinkedHashMap<>();
        condition.put("type", POD_SCHEDULED);
        condition.put("status", "False");
        condition.put("reason", "Unschedulable");
        condition.put("message", message);
        condition.put("lastProbeTime", null);
        condition.put("lastTransitionTime", ModelJson.time(since));
        if (pod.getMetadata().getGeneration() != null) {
            condition.put("observedGeneration", pod.getMetadata().getGeneration());
        }
        Map<String, Object> patch = new LinkedHashMap<>();
        patch.put("metadata", Map.of("uid", String.valueOf(pod.getMetadata().getUid())));
        patch.put("status", Map.of("conditions", List.of(condition)));
        return ModelJson.write(patch);
    }

    private static @Nullable V1PodCondition condition(V1Pod pod) {
        if (pod.getStatus() != null && pod.getStatus().getConditions() != null) {
            for (V1PodCondition condition : pod.getStatus().getConditions()) {
                if (POD_SCHEDULED.equals(condition.getType())) {
                    return condition;
                }
            }
        }
        return null;
    }

    /** The message of an Event, shortened to the maximum length that the API server accepts. */
    static String eventMessage(String message) {
        String suffix = " ...";
        return message.length() <= LONGEST_EVENT
                ? message
                : message.substring(0, LONGEST_EVENT - suffix.length()) + suffix;
    }
}
