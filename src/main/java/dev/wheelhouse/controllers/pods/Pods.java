package dev.wheelhouse.controllers.pods;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Reads a pod's status (upstream: {@code pkg/api/v1/pod/util.go}, {@code pkg/controller/controller_utils.go}). */
public final class Pods {
    private Pods() {}

    /** The phase; empty if there is none. */
    public static String phase(V1Pod pod) {
        return pod.getStatus() == null ? "" : orEmpty(pod.getStatus().getPhase());
    }

    /** The node that the pod is bound to; empty if there is none. */
    public static String node(V1Pod pod) {
        return pod.getSpec() == null ? "" : orEmpty(pod.getSpec().getNodeName());
    }

    public static boolean isFinished(V1Pod pod) {
        String phase = phase(pod);
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    public static boolean isDeleting(V1Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** The names of the init containers that run beside the containers. */
    public static Set<String> sidecars(V1Pod pod) {
        List<V1Container> all = pod.getSpec() == null ? null : pod.getSpec().getInitContainers();
        return all == null
                ? Set.of()
                : all.stream().filter(container -> "Always".equals(container.getRestartPolicy()))
                        .map(V1Container::getName).collect(Collectors.toSet());
    }

    /** Whether the pod counts as a replica: it is neither finished nor being deleted. */
    public static boolean isActive(V1Pod pod) {
        return !isFinished(pod) && !isDeleting(pod);
    }

    /** Whether the pod is being deleted and has not finished yet. */
    public static boolean isTerminating(V1Pod pod) {
        return isDeleting(pod) && !isFinished(pod);
    }

    public static boolean isReady(V1Pod pod) {
        return readyCondition(pod) != null;
    }

    /** The time since which the pod is ready; null if it is not ready or the time is missing. */
    public static @Nullable Instant readySince(V1Pod pod) {
        V1PodCondition ready = readyCondition(pod);
        return ready == null || ready.getLastTransitionTime() == null
                ? null
                : ready.getLastTransitionTime().toInstant();
    }

    private static @Nullable V1PodCondition readyCondition(V1Pod pod) {
        V1PodCondition ready = condition(pod, "Ready");
        return ready != null && "True".equals(ready.getStatus()) ? ready : null;
    }

    /** A condition of a pod; null if the pod does not have it. */
    public static @Nullable V1PodCondition condition(V1Pod pod, String type) {
        if (pod.getStatus() != null && pod.getStatus().getConditions() != null) {
            for (V1PodCondition condition : pod.getStatus().getConditions()) {
                if (type.equals(condition.getType())) {
                    return condition;
                }
            }
        }
        return null;
    }

    /** The time of a pod's creation; null before it. */
    public static @Nullable Instant created(V1Pod pod) {
        OffsetDateTime time = pod.getMetadata().getCreationTimestamp();
        return time == null ? null : time.toInstant();
    }

    public static boolean isAvailable(V1Pod pod, int minReadySeconds, Instant now) {
        if (!isReady(pod)) {
            return false;
        }
        Instant since = readySince(pod);
        return minReadySeconds == 0 || (since != null && !Durations.after(since, minReadySeconds).isAfter(now));
    }

    /** The time until the next of these pods becomes available; null if none becomes available by waiting alone. */
    public static @Nullable Duration untilNextAvailable(Collection<V1Pod> pods, int minReadySeconds, Instant now) {
        Duration next = null;
        for (V1Pod pod : pods) {
            Instant since = readySince(pod);
            if (since != null && minReadySeconds > 0) {
                Duration left = Duration.between(now, Durations.after(since, minReadySeconds));
                if (left.isPositive() && (next == null || left.compareTo(next) < 0)) {
                    next = left;
                }
            }
        }
        return next;
    }

    public static List<V1Pod> active(Collection<V1Pod> pods) {
        return pods.stream().filter(Pods::isActive).toList();
    }
}
