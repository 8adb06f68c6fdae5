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
import dev.wheelhouse.controllers.pods.DisruptionTarget;
import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Makes the bodies of the scheduler's writes. */
final class PodWrites {
    private static final String POD_SCHEDULED = "PodScheduled";
    private static final int LONGEST_EVENT = 1024;
    private static final String PREEMPTED = "PreemptionByScheduler";

    private PodWrites() {}

    static V1Binding binding(V1Pod pod, String node) {
        V1ObjectMeta meta = pod.getMetadata();
        return new V1Binding().apiVersion("v1").kind("Binding")
                .metadata(new V1ObjectMeta().namespace(meta.getNamespace()).name(meta.getName()).uid(meta.getUid()))
                .target(new V1ObjectReference().kind("Node").name(node));
    }

    /**
     * A strategic merge patch with the condition that the pod cannot be scheduled, and the node on which it will fit;
     * null if the pod has these already.
     *
     * @param nominated empty for no node; null if the node stays as it is
     */
    static @Nullable String unschedulable(V1Pod pod, String message, @Nullable String nominated, Instant now) {
        String present = pod.getStatus() == null ? "" : orEmpty(pod.getStatus().getNominatedNodeName());
        boolean stays = nominated == null || nominated.equals(present);
        V1PodCondition before = Pods.condition(pod, POD_SCHEDULED);
        OffsetDateTime since = now.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
        if (before != null && "False".equals(before.getStatus())) {
            if (stays && "Unschedulable".equals(before.getReason()) && message.equals(before.getMessage())) {
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
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        status.put("conditions", List.of(condition));
        if (nominated != null && !stays) {
            status.put("nominatedNodeName", nominated.isEmpty() ? null : nominated);
        }
        return patch(pod, status);
    }

    /** A strategic merge patch with the condition that a pod has to go for another one. */
    static String preempted(V1Pod pod, V1Pod preemptor, Instant now) {
        DisruptionTarget target = new DisruptionTarget(PREEMPTED, preemptor.getSpec().getSchedulerName()
                + ": preempting to accommodate a higher priority pod");
        return patch(pod, Map.of("conditions", List.of(target.condition(pod, now))));
    }

    /** Whether a scheduler lets the pod go for another one. */
    static boolean isPreempted(V1Pod pod) {
        V1PodCondition condition = Pods.condition(pod, "DisruptionTarget");
        return condition != null && "True".equals(condition.getStatus()) && PREEMPTED.equals(condition.getReason());
    }

    private static String patch(V1Pod pod, Map<String, ?> status) {
        return ModelJson.write(Map.of("metadata", Map.of("uid", String.valueOf(pod.getMetadata().getUid())), "status",
                status));
    }

    /** The message of an Event, shortened to the maximum length that the API server accepts. */
    static String eventMessage(String message) {
        String suffix = " ...";
        return message.length() <= LONGEST_EVENT
                ? message
                : message.substring(0, LONGEST_EVENT - suffix.length()) + suffix;
    }
}
