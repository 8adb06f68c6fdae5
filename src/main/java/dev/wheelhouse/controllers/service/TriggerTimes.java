package dev.wheelhouse.controllers.service;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.Pods;

/**
 * The time of the change that a write of endpoints follows, for {@link WellKnown#TRIGGER_TIME}: the earliest change
 * since the sync before (upstream: {@code staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go}). Thread
 * safe if a Service has one sync at a time that writes.
 */
final class TriggerTimes {
    private final Map<ObjectKey, State> states = new ConcurrentHashMap<>();

    /**
     * The times at a sync of a Service.
     * @param pods the time at which each pod became or stopped being ready, by name
     */
    private record State(@Nullable Instant service, Map<String, Instant> pods) {}

    /** The time for a sync of the Service; null for none. The next sync counts from this one. */
    @Nullable
    Instant next(V1Service service, List<V1Pod> pods, SyncRun run) {
        ObjectKey key = ObjectKey.of(service);
        State now = new State(instant(service.getMetadata().getCreationTimestamp()), readyTimes(pods));
        State before = states.get(key);
        run.effect(() -> states.put(key, now));
        return between(before, now);
    }

    void forget(ObjectKey service) {
        states.remove(service);
    }

    private static @Nullable Instant between(@Nullable State before, State now) {
        if (before == null) {
            return now.service;
        }
        Instant first = isLater(now.service, before.service) ? now.service : null;
        for (Map.Entry<String, Instant> pod : now.pods.entrySet()) {
            if (isLater(pod.getValue(), before.pods.get(pod.getKey()))
                    && (first == null || pod.getValue().isBefore(first))) {
                first = pod.getValue();
            }
        }
        return first;
    }

    private static boolean isLater(@Nullable Instant now, @Nullable Instant before) {
        return now != null && (before == null || now.isAfter(before));
    }

    private static Map<String, Instant> readyTimes(List<V1Pod> pods) {
        Map<String, Instant> times = new HashMap<>();
        for (V1Pod pod : pods) {
            V1PodCondition ready = Pods.condition(pod, "Ready");
            Instant time = ready == null ? null : instant(ready.getLastTransitionTime());
            if (time != null) {
                times.put(String.valueOf(pod.getMetadata().getName()), time);
            }
        }
        return times;
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
