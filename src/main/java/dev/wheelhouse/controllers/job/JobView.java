package dev.wheelhouse.controllers.job;

import java.time.Instant;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Job;

/**
 * The input of a decision about one Job.
 *
 * @param job the Job; it belongs to the cache, so nobody may change it
 * @param pods the pods that it owns, those just adopted included
 * @param backoff the delay that earlier failures of its pods demand
 * @param now the current time
 */
record JobView(V1Job job, List<JobPod> pods, PodBackoff backoff, Instant now) {
    boolean isIndexed() {
        return Jobs.isIndexed(job);
    }

    /** The number of completions; {@link Integer#MAX_VALUE} if the Job names none. */
    int completions() {
        Integer completions = job.getSpec().getCompletions();
        return completions == null ? Integer.MAX_VALUE : completions;
    }

    /** Whether the pod may count: in an Indexed Job only pods with a valid index do. */
    boolean counts(JobPod pod) {
        return !isIndexed() || hasIndex(pod);
    }

    boolean hasIndex(JobPod pod) {
        return pod.index() != JobPod.NO_INDEX && pod.index() < completions();
    }
}
