package dev.wheelhouse.controllers.daemonset;

import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controllers.pods.Pods;

/**
 * The pods of a DaemonSet that run on one node or are for it.
 *
 * @param verdict whether the DaemonSet runs on the node
 * @param pods its pods, without those that have ended and are being deleted
 */
record NodePods(String node, NodePredicates.Verdict verdict, List<V1Pod> pods) {
    /** Bound pods first, then by age (upstream: {@code podByCreationTimestampAndPhase}). */
    static final Comparator<V1Pod> OLDEST_FIRST = Comparator
            .<V1Pod, Boolean>comparing(pod -> Pods.node(pod).isEmpty())
            .thenComparing(pod -> pod.getMetadata().getCreationTimestamp(),
                    Comparator.nullsFirst(Comparator.comparing(OffsetDateTime::toInstant)))
            .thenComparing(pod -> pod.getMetadata().getName());

    /** The live pods of the newest and of older revisions, at most one of each. */
    record Pair(@Nullable V1Pod updated, @Nullable V1Pod old) {}

    boolean runs() {
        return verdict == NodePredicates.Verdict.RUN;
    }

    /** The pod that counts for the status. There must be one. */
    V1Pod oldest() {
        return pods.size() == 1 ? pods.getFirst() : Collections.min(pods, OLDEST_FIRST);
    }

    /** Null if there are several pods of the newest revision, or several others. */
    @Nullable
    Pair pair(String hash, @Nullable Long templateGeneration) {
        V1Pod updated = null;
        V1Pod old = null;
        for (V1Pod pod : pods) {
            if (Pods.isDeleting(pod)) {
                continue;
            }
            boolean isUpdated = DaemonPods.isUpdated(pod, hash, templateGeneration);
            if ((isUpdated ? updated : old) != null) {
                return null;
            }
            if (isUpdated) {
                updated = pod;
            } else {
                old = pod;
            }
        }
        return new Pair(updated, old);
    }
}
