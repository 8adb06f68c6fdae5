package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.controllers.pods.Pods;

/**
 * The change of a Job's pods that a sync decides on; creations or deletions, never both (upstream: {@code manageJob} in
 * {@code pkg/controller/job/job_controller.go}).
 */
sealed interface PodPlan {
    /** The maximum number of pods that one sync creates, or deletes as surplus. */
    int MOST = 500;
    /** Syncs that pods cause are at least this far apart. */
    Duration BATCH_PERIOD = Duration.ofSeconds(1);

    /** The pods stay as they are. */
    record Keep() implements PodPlan {}

    /** The Job ends: all active pods are deleted. They keep the finalizer until they are counted. */
    record End(List<JobPod> pods) implements PodPlan {}

    /** Surplus pods are deleted. They lose the finalizer before that, because they are not counted. */
    record Remove(List<JobPod> pods) implements PodPlan {}

    /**
     * Pods are created.
     *
     * @param count the number of pods
     * @param indexes their indexes; empty in a Job without indexes
     */
    record Create(int count, List<Integer> indexes) implements PodPlan {}

    /** Failed pods are replaced after a delay. Until then the Job counts as having no active pods, as upstream. */
    record Wait(Duration delay) implements PodPlan {}

    static PodPlan of(Assessment job) {
        if (job.verdict() != null) {
            return new End(job.active());
        }
        return Jobs.isDeleting(job.view().job()) ? new Keep() : manage(job);
    }

    private static PodPlan manage(Assessment job) {
        int active = job.active().size();
        if (Jobs.isSuspended(job.view().job())) {
            return active == 0 ? new Keep() : new Remove(job.active());
        }
        int wanted = wanted(job);
        List<JobPod> surplus = surplus(job, Math.max(0, active - wanted));
        if (!surplus.isEmpty()) {
            return new Remove(surplus.subList(0, Math.min(surplus.size(), MOST)));
        }
        boolean waitsForTheEnd = Jobs.replacesOnlyFailedPods(job.view().job().getSpec());
        int missing = wanted - active - (waitsForTheEnd ? job.terminating() : 0);
        return missing > 0 ? create(job, missing) : new Keep();
    }

    private static int wanted(Assessment job) {
        int parallelism = Jobs.parallelism(job.view().job());
        if (job.view().job().getSpec().getCompletions() == null) {
            return job.succeeded() > 0 ? job.active().size() : parallelism;
        }
        return Math.max(0, Math.min(job.view().completions() - job.succeeded(), parallelism));
    }

    private static PodPlan create(Assessment job, int missing) {
        Instant now = job.view().now();
        boolean limitPerIndex = Jobs.hasLimitPerIndex(job.view().job());
        Duration delay = limitPerIndex ? Duration.ZERO : job.backoff().remaining(now);
        if (!delay.isZero()) {
            return waiting(delay);
        }
        int count = Math.min(missing, MOST);
        if (!job.view().isIndexed()) {
            return new Create(count, List.of());
        }
        int[] pending = pendingIndexes(job, count);
        List<Integer> ready = new ArrayList<>(pending.length);
        for (int index : pending) {
            Duration ofIndex = limitPerIndex ? backoff(job.lastFailures().get(index)).remaining(now) : Duration.ZERO;
            if (ofIndex.isZero()) {
                ready.add(index);
            } else {
                delay = delay.isZero() || ofIndex.compareTo(delay) < 0 ? ofIndex : delay;
            }
        }
        if (ready.isEmpty()) {
            return delay.isZero() ? new Keep() : waiting(delay);
        }
        return new Create(ready.size(), ready);
    }

    private static Wait waiting(Duration delay) {
        return new Wait(delay.compareTo(BATCH_PERIOD) < 0 ? BATCH_PERIOD : delay);
    }

    /** The backoff of an index whose last pod failed. */
    private static PodBackoff backoff(@Nullable JobPod last) {
        return last == null
                ? PodBackoff.NONE
                : new PodBackoff(last.failures() + last.ignoredFailures() + 1, last.finishedAt());
    }

    private static int[] pendingIndexes(Assessment job, int count) {
        Indexes busy = job.completedIndexes();
        Indexes failed = job.failedIndexes();
        boolean waitsForTheEnd = Jobs.replacesOnlyFailedPods(job.view().job().getSpec());
        busy = busy.with(job.view().pods().stream().filter(pod -> pod.index() != JobPod.NO_INDEX
                && (pod.isActive() || (waitsForTheEnd && Pods.isTerminating(pod.pod()))))
                .map(JobPod::index).collect(Collectors.toSet()));
        return (failed == null ? busy : busy.with(failed)).firstMissing(count, job.view().completions());
    }

    /**
     * The pods to delete: in an Indexed Job all without a valid index and all but one of each index, and then as many
     * as are needed.
     */
    private static List<JobPod> surplus(Assessment job, int atLeast) {
        List<JobPod> surplus = new ArrayList<>();
        List<JobPod> rest = new ArrayList<>(job.active());
        if (job.view().isIndexed()) {
            rest.sort(Comparator.comparingInt(JobPod::index).thenComparing(SurplusOrder.FIRST_TO_DELETE));
            List<JobPod> kept = new ArrayList<>(rest.size());
            for (int i = 0; i < rest.size(); i++) {
                JobPod pod = rest.get(i);
                boolean lastOfIndex = i + 1 == rest.size() || rest.get(i + 1).index() != pod.index();
                (job.view().hasIndex(pod) && lastOfIndex ? kept : surplus).add(pod);
            }
            rest = kept;
        }
        if (surplus.size() < atLeast) {
            rest.sort(SurplusOrder.FIRST_TO_DELETE);
            surplus.addAll(rest.subList(0, atLeast - surplus.size()));
        }
        return surplus;
    }
}
