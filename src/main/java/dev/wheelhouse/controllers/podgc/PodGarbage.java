package dev.wheelhouse.controllers.podgc;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.DisruptionTarget;
import dev.wheelhouse.controllers.pods.Nodes;
import dev.wheelhouse.controllers.pods.Pods;

/**
 * A pod that is deleted because nobody else does it (upstream: {@code pkg/controller/podgc/gc_controller.go}). The
 * methods are pure functions.
 */
record PodGarbage(V1Pod pod, Reason reason) {
    private static final Set<String> NOT_ENDED = Set.of("Pending", "Running", "Unknown");
    private static final DisruptionTarget DISRUPTION_TARGET = new DisruptionTarget("DeletionByPodGC",
            "PodGC: node no longer exists");

    private static final Comparator<V1Pod> EVICTED_AND_OLDEST_FIRST = Comparator
            .<V1Pod, Boolean>comparing(pod -> !isEvicted(pod))
            .thenComparing(pod -> pod.getMetadata().getCreationTimestamp(),
                    Comparator.nullsFirst(Comparator.comparing(OffsetDateTime::toInstant)))
            .thenComparing(pod -> String.valueOf(pod.getMetadata().getName()));

    enum Reason {
        ENDED("terminated", "too many pods have ended"),
        OUT_OF_SERVICE("out-of-service", "it terminates on a node that is out of service"),
        ORPHANED("orphaned", "its node no longer exists"),
        UNSCHEDULED("unscheduled", "it terminates and has no node");

        /** The label of the metrics. */
        final String label;
        private final String why;

        Reason(String label, String why) {
            this.label = label;
            this.why = why;
        }
    }

    private static boolean isEvicted(V1Pod pod) {
        return Pods.phase(pod).equals("Failed") && "Evicted".equals(pod.getStatus().getReason());
    }

    /**
     * The garbage among pods, each pod once.
     *
     * @param node the existing node of a name; null if there is none
     * @param gone the names of nodes that certainly do not exist
     * @param threshold the number of ended pods that stay; all do if it is not positive
     */
    static List<PodGarbage> among(List<V1Pod> pods, Function<String, @Nullable V1Node> node, Set<String> gone,
            int threshold) {
        List<PodGarbage> garbage = new ArrayList<>();
        Set<V1Pod> found = Collections.newSetFromMap(new IdentityHashMap<>());
        List<V1Pod> ended = new ArrayList<>();
        for (V1Pod pod : pods) {
            if (!NOT_ENDED.contains(Pods.phase(pod))) {
                ended.add(pod);
            }
            Reason reason = reason(pod, node, gone);
            if (reason != null && found.add(pod)) {
                garbage.add(new PodGarbage(pod, reason));
            }
        }
        if (threshold > 0 && ended.size() > threshold) {
            ended.sort(EVICTED_AND_OLDEST_FIRST);
            ended.subList(0, ended.size() - threshold).stream().filter(found::add)
                    .forEach(pod -> garbage.add(new PodGarbage(pod, Reason.ENDED)));
        }
        return garbage;
    }

    private static @Nullable Reason reason(V1Pod pod, Function<String, @Nullable V1Node> node, Set<String> gone) {
        if (gone.contains(Pods.node(pod))) {
            return Reason.ORPHANED;
        }
        if (!Pods.isDeleting(pod)) {
            return null;
        }
        if (Pods.node(pod).isEmpty()) {
            return Reason.UNSCHEDULED;
        }
        V1Node its = node.apply(Pods.node(pod));
        return its != null && !Nodes.isReady(its) && Nodes.isOutOfService(its) ? Reason.OUT_OF_SERVICE : null;
    }

    /**
     * The write that gives the pod the phase Failed, since no kubelet will; null if it has ended. An orphan also gets
     * the condition DisruptionTarget.
     */
    Action.@Nullable Write failure(Instant now) {
        if (Pods.isFinished(pod)) {
            return null;
        }
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("phase", "Failed");
        Long generation = pod.getMetadata().getGeneration();
        if (generation != null) {
            status.put("observedGeneration", generation);
        }
        if (reason == Reason.ORPHANED) {
            status.put("conditions", List.of(DISRUPTION_TARGET.condition(pod, now)));
        }
        return DisruptionTarget.patch(pod, status, reason.why);
    }

    /** The deletion at once, without the time to end that the pod asks for. */
    Action.Write deletion() {
        return new Action.Delete(ResourceType.PODS, ObjectKey.of(pod),
                new Deletion(0L, pod.getMetadata().getUid(), null, null), reason.why);
    }
}
