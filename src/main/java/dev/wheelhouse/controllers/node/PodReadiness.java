package dev.wheelhouse.controllers.node;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.runtime.Durations;

/**
 * Takes the readiness from the pods of a node that is not ready, because its kubelet may be unable to (upstream:
 * {@code MarkPodsNotReady} in {@code pkg/controller/util/node/controller_utils.go}).
 */
final class PodReadiness {
    private PodReadiness() {}

    /** @return the first failure, null if there is none. A pod that is gone is no failure */
    static @Nullable KubeApiException end(List<V1Pod> pods, Instant now, SyncRun run) {
        List<Action.Write> writes = new ArrayList<>();
        for (V1Pod pod : pods) {
            V1Pod unready = unready(pod, now);
            if (unready != null) {
                writes.add(new Action.UpdateStatus(ResourceType.PODS, unready, "its node is not ready"));
            }
        }
        if (writes.isEmpty()) {
            return null;
        }
        List<Action> events = new ArrayList<>();
        KubeApiException failure = null;
        for (Attempt attempt : run.execute(List.of(Action.Batch.each(writes))).attempts()) {
            KubeApiException error = attempt.error();
            if (error == null || !error.isNotFound()) {
                failure = failure == null ? error : failure;
                events.add(new Action.Event(ResourceType.PODS, ((Action.UpdateStatus) attempt.write()).object(),
                        EventRecorder.WARNING, "NodeNotReady", "Node is not ready"));
            }
        }
        run.execute(events);
        return failure;
    }

    /** A copy of the pod that is not ready; null if the pod says that already, or says nothing. A pure function. */
    static @Nullable V1Pod unready(V1Pod pod, Instant now) {
        V1PodCondition ready = Pods.condition(pod, "Ready");
        if (ready == null || "False".equals(ready.getStatus())) {
            return null;
        }
        V1Pod changed = ModelJson.copy(pod);
        Objects.requireNonNull(Pods.condition(changed, "Ready")).status("False")
                .lastTransitionTime(Durations.wholeSeconds(now));
        return changed;
    }
}
