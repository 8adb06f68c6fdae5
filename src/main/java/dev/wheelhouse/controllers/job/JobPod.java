package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * A pod of a Job.
 *
 * @param pod the pod; it belongs to the cache, so nobody may change it
 * @param index its completion index; {@link #NO_INDEX} if it has none
 * @param tracked whether it has the tracking finalizer, so that it is not counted yet
 */
record JobPod(V1Pod pod, int index, boolean tracked) {
    static final int NO_INDEX = -1;
    /** The finalizer of pods that their Job has not counted. */
    static final String FINALIZER = "batch.kubernetes.io/job-tracking";
    /** The annotation and label with the completion index. */
    static final String INDEX = "batch.kubernetes.io/job-completion-index";
    /** The annotation with the number of earlier failures of the index that count. */
    static final String FAILURES = "batch.kubernetes.io/job-index-failure-count";
    /** The annotation with the number of earlier failures of the index that a pod failure policy ignores. */
    static final String IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count";

    static JobPod of(V1Pod pod) {
        int index = annotation(pod, INDEX);
        return new JobPod(pod, index, isTracked(pod));
    }

    /** A pod that the Job adopts: it gets the finalizer, which the cache does not show yet. */
    static JobPod adopted(V1Pod pod) {
        return new JobPod(pod, annotation(pod, INDEX), true);
    }

    static boolean isTracked(V1Pod pod) {
        return Metadata.finalizers(pod).contains(FINALIZER);
    }

    String uid() {
        return String.valueOf(pod.getMetadata().getUid());
    }

    boolean succeeded() {
        return Pods.phase(pod).equals("Succeeded");
    }

    boolean isActive() {
        return Pods.isActive(pod);
    }

    boolean isReady() {
        return Pods.isReady(pod);
    }

    /** Earlier failures of the index that count. */
    int failures() {
        return Math.max(0, annotation(pod, FAILURES));
    }

    /** Earlier failures of the index that a pod failure policy ignores. */
    int ignoredFailures() {
        return Math.max(0, annotation(pod, IGNORED_FAILURES));
    }

    /** The number in an annotation; -1 if there is none, or it is negative or malformed. */
    private static int annotation(V1Pod pod, String name) {
        String text = Metadata.annotation(pod, name);
        try {
            return text == null ? -1 : Math.max(-1, Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * The time at which a terminated pod ended: when its last container did; else when it became unready; else when its
     * deletion began; else when it was created (upstream: {@code getFinishedTime} in
     * {@code pkg/controller/job/backoff_utils.go}).
     */
    Instant finishedAt() {
        Instant end = containersEnd();
        V1PodCondition ready = Pods.condition(pod, "Ready");
        if (end == null && ready != null && "False".equals(ready.getStatus())
                && ready.getLastTransitionTime() != null) {
            end = ready.getLastTransitionTime().toInstant();
        }
        V1ObjectMeta meta = pod.getMetadata();
        if (end == null && meta.getDeletionTimestamp() != null) {
            Long grace = meta.getDeletionGracePeriodSeconds();
            end = Durations.before(meta.getDeletionTimestamp().toInstant(),
                    Duration.ofSeconds(orZero(grace)));
        }
        return end != null ? end : Objects.requireNonNullElse(Pods.created(pod), Instant.EPOCH);
    }

    private @Nullable Instant containersEnd() {
        if (pod.getStatus() == null) {
            return null;
        }
        Instant latest = latestEnd(null, pod.getStatus().getContainerStatuses(), null);
        return latestEnd(latest, pod.getStatus().getInitContainerStatuses(), Pods.sidecars(pod));
    }

    /** The latest end of these containers; null if one of them has not ended; {@code before} if there are none. */
    private static @Nullable Instant latestEnd(@Nullable Instant before, @Nullable List<V1ContainerStatus> statuses,
            @Nullable Set<String> only) {
        Instant latest = before;
        for (V1ContainerStatus status : orEmpty(statuses)) {
            if (only != null && !only.contains(status.getName())) {
                continue;
            }
            if (status.getState() == null || status.getState().getTerminated() == null
                    || status.getState().getTerminated().getFinishedAt() == null) {
                return null;
            }
            Instant end = status.getState().getTerminated().getFinishedAt().toInstant();
            latest = latest == null || latest.isBefore(end) ? end : latest;
        }
        return latest;
    }
}
