package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.Tolerations;
import dev.wheelhouse.controllers.pods.Nodes;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The eviction of a pod from a node with taints of the effect NoExecute (upstream: {@code processPodOnNode} in
 * {@code pkg/controller/tainteviction/taint_eviction.go}). The methods are pure functions.
 *
 * @param pod the UID of the pod
 * @param taints the taints that it follows from
 * @param tolerations the tolerations that it follows from
 * @param since the time at which the eviction was first decided on
 * @param end the time of the eviction; null if the pod tolerates the taints for ever
 * @param begun whether the eviction has begun
 * @param over whether the pod is evicted. It is not evicted again until its taints or tolerations change
 */
record ScheduledEviction(String pod, List<V1Taint> taints, List<V1Toleration> tolerations, Instant since,
        @Nullable Instant end,
        boolean begun, boolean over) {

    /** The taints of a node that evict pods. */
    static List<V1Taint> taints(V1Node node) {
        return Nodes.taints(node).stream().filter(taint -> "NoExecute".equals(taint.getEffect())).toList();
    }

    /**
     * Decides when a pod is evicted.
     *
     * @param before the last decision; null if there is none. A waiting eviction keeps its time, also
     *     if the taints or tolerations change, as long as they still evict the pod
     * @param taints the taints of the pod's node, at least one
     */
    static ScheduledEviction of(V1Pod pod, @Nullable ScheduledEviction before, List<V1Taint> taints, Instant now) {
        String uid = String.valueOf(pod.getMetadata().getUid());
        List<V1Toleration> tolerations = tolerations(pod);
        ScheduledEviction known = before != null && before.pod.equals(uid) ? before : null;
        if (known != null && known.taints.equals(taints) && known.tolerations.equals(tolerations)) {
            return known;
        }
        Duration tolerated = tolerated(tolerations, taints);
        if (tolerated == null) {
            return new ScheduledEviction(uid, taints, tolerations, now, null, false, false);
        }
        return known != null && known.isWaiting() && tolerated.isPositive()
                ? new ScheduledEviction(uid, taints, tolerations, known.since, known.end, false, false)
                : new ScheduledEviction(uid, taints, tolerations, now, Durations.after(now, tolerated), false, false);
    }

    static List<V1Toleration> tolerations(V1Pod pod) {
        return orEmpty(pod.getSpec().getTolerations());
    }

    /** The shortest time for which all taints are tolerated; null for ever. */
    private static @Nullable Duration tolerated(List<V1Toleration> tolerations, List<V1Taint> taints) {
        Duration shortest = null;
        for (V1Taint taint : taints) {
            V1Toleration used = Tolerations.first(tolerations, taint);
            if (used == null) {
                return Duration.ZERO;
            }
            Long seconds = used.getTolerationSeconds();
            if (seconds != null && (shortest == null || seconds < shortest.toSeconds())) {
                shortest = Duration.ofSeconds(Math.max(0, seconds));
            }
        }
        return shortest;
    }

    /** Whether an eviction was put off and has not begun. */
    boolean isWaiting() {
        return end != null && end.isAfter(since) && !begun;
    }

    /** Whether the pod has to be evicted now. */
    boolean isDue(Instant now) {
        return end != null && !end.isAfter(now) && !over;
    }

    /** Whether a waiting eviction does not happen, or not at its time. Users see that as an Event. */
    static boolean isCancelled(@Nullable ScheduledEviction before, @Nullable ScheduledEviction after) {
        return before != null && before.isWaiting()
                && (after == null || !after.isWaiting() || !after.since.equals(before.since));
    }

    ScheduledEviction withBegun() {
        return new ScheduledEviction(pod, taints, tolerations, since, end, true, over);
    }

    ScheduledEviction withOver() {
        return new ScheduledEviction(pod, taints, tolerations, since, end, begun, true);
    }
}
