package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1UncountedTerminatedPods;

import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The state of one Job before its sync changes anything: how many pods have succeeded and failed, and whether that ends
 * the Job (upstream: {@code syncJob} in {@code pkg/controller/job/job_controller.go}).
 *
 * @param active the pods that have neither ended nor are being deleted
 * @param failed the pods that have failed and that no pod failure policy ignores, those not yet counted included
 * @param succeeded the pods, or indexes, that have succeeded, those not yet counted in the status included
 * @param startedAt the time at which the Job started; null while it is suspended and has not started
 * @param backoff the delay that the failures of its pods demand, the new failures included
 * @param verdict the condition that ends the Job; null if it goes on
 * @param countedIndexes the completed indexes in the status
 * @param completedIndexes the completed indexes, the new ones included
 * @param failedIndexes the failed indexes; null without a backoff limit per index
 * @param lastFailures by index, the failed pod that keeps its finalizer until its replacement exists
 * @param untilDeadline the time until the Job exceeds its deadline; null if it has none, or has ended
 */
record Assessment(JobView view, List<JobPod> active, int failed, int succeeded, @Nullable Instant startedAt,
        PodBackoff backoff, @Nullable V1JobCondition verdict, Indexes countedIndexes, Indexes completedIndexes,
        @Nullable Indexes failedIndexes, Map<Integer, JobPod> lastFailures, @Nullable Duration untilDeadline) {

    static Assessment of(JobView view) {
        return new Assessor(view).assess();
    }

    /** Whether a pod has failed. A pod that is being deleted has, unless its Job waits until it has ended. */
    static boolean hasFailed(JobPod pod, V1Job job) {
        return Pods.phase(pod.pod()).equals("Failed")
                || (!Jobs.replacesOnlyFailedPods(job.getSpec()) && Pods.isDeleting(pod.pod()) && !pod.succeeded());
    }

    static PodFailurePolicy.Match match(JobPod pod, V1Job job) {
        return PodFailurePolicy.match(job.getSpec().getPodFailurePolicy(), pod.pod());
    }

    /** The pods that are being deleted and have not ended. */
    int terminating() {
        return (int) view.pods().stream().filter(pod -> Pods.isTerminating(pod.pod())).count();
    }

    /** The state of one assessment. */
    private static final class Assessor {
        private final JobView view;
        private final V1Job job;
        private final V1JobSpec spec;
        private final V1JobStatus status;

        Assessor(JobView view) {
            this.view = view;
            this.job = view.job();
            this.spec = job.getSpec();
            this.status = job.getStatus() == null ? new V1JobStatus() : job.getStatus();
        }

        Assessment assess() {
            V1UncountedTerminatedPods uncounted = status.getUncountedTerminatedPods();
            Set<String> uncountedSucceeded = uncounted == null ? Set.of() : setOf(uncounted.getSucceeded());
            Set<String> uncountedFailed = uncounted == null ? Set.of() : setOf(uncounted.getFailed());
            List<JobPod> newSucceeded = newlyEnded(uncountedSucceeded, JobPod::succeeded);
            List<JobPod> newFailed = newlyEnded(uncountedFailed, pod -> hasFailed(pod, job));
            int failed = orZero(status.getFailed()) + uncountedFailed.size()
                    + (int) newFailed.stream().filter(pod -> match(pod, job).counts()).count();
            int succeeded = orZero(status.getSucceeded()) + uncountedSucceeded.size() + newSucceeded.size();
            List<JobPod> active = view.pods().stream().filter(JobPod::isActive).toList();
            Instant startedAt = status.getStartTime() != null
                    ? status.getStartTime().toInstant()
                    : Jobs.isSuspended(job) ? null : view.now();
            Duration untilDeadline = untilDeadline(startedAt);

            V1JobCondition verdict = verdict(failed, untilDeadline);
            Indexes counted = Indexes.NONE;
            Indexes completed = Indexes.NONE;
            Indexes failedIndexes = null;
            Map<Integer, JobPod> lastFailures = Map.of();
            if (view.isIndexed()) {
                counted = Indexes.parse(status.getCompletedIndexes(), view.completions());
                completed = counted.with(trackedIndexes(JobPod::succeeded));
                succeeded = completed.total();
                if (Jobs.hasLimitPerIndex(job)) {
                    failedIndexes = Indexes.parse(status.getFailedIndexes(), view.completions())
                            .with(trackedIndexes(this::failsIndex));
                    verdict = verdict == null ? verdict(failedIndexes.total(), completed.total()) : verdict;
                    lastFailures = lastFailures(active, completed, failedIndexes);
                }
                String met = verdict != null
                        ? null
                        : SuccessPolicy.match(spec.getSuccessPolicy(), view.completions(), completed);
                verdict = met == null ? verdict : condition(Jobs.SUCCESS_CRITERIA_MET, "SuccessPolicy", met);
            }
            return new Assessment(view, active, failed, succeeded, startedAt,
                    view.backoff().after(newSucceeded, newFailed), verdict, counted, completed, failedIndexes,
                    lastFailures, verdict == null ? untilDeadline : null);
        }

        private static Set<String> setOf(@Nullable List<String> uids) {
            return uids == null ? Set.of() : new HashSet<>(uids);
        }

        private List<JobPod> newlyEnded(Set<String> uncounted, Predicate<JobPod> ended) {
            return view.pods().stream().filter(pod -> pod.tracked() && view.counts(pod) && ended.test(pod)
                    && !uncounted.contains(pod.uid())).toList();
        }

        private Set<Integer> trackedIndexes(Predicate<JobPod> wanted) {
            return view.pods().stream().filter(pod -> pod.tracked() && view.hasIndex(pod) && wanted.test(pod))
                    .map(JobPod::index).collect(Collectors.toSet());
        }

        private boolean failsIndex(JobPod pod) {
            if (!hasFailed(pod, job)) {
                return false;
            }
            PodFailurePolicy.Match match = match(pod, job);
            return match.failsIndex()
                    || (match.counts() && pod.failures() >= orZero(spec.getBackoffLimitPerIndex()));
        }

        private @Nullable Duration untilDeadline(@Nullable Instant startedAt) {
            Long seconds = spec.getActiveDeadlineSeconds();
            return seconds == null || startedAt == null || Jobs.isSuspended(job)
                    ? null
                    : Duration.between(view.now(), Durations.after(startedAt, seconds));
        }

        /** The verdict of an earlier sync; else of the pod failure policy; else of the limits of the whole Job. */
        private @Nullable V1JobCondition verdict(int failed, @Nullable Duration untilDeadline) {
            V1JobCondition success = Jobs.trueCondition(status, Jobs.SUCCESS_CRITERIA_MET);
            if (success != null) {
                return success;
            }
            V1JobCondition failure = Jobs.trueCondition(status, Jobs.FAILURE_TARGET);
            if (failure != null) {
                return condition(Jobs.FAILED, failure.getReason(), failure.getMessage());
            }
            if (spec.getPodFailurePolicy() != null) {
                for (JobPod pod : view.pods()) {
                    String message = hasFailed(pod, job) ? match(pod, job).message() : null;
                    if (message != null) {
                        return condition(Jobs.FAILURE_TARGET, "PodFailurePolicy", message);
                    }
                }
            }
            if (failed > Jobs.backoffLimit(job) || restartedTooOften()) {
                return condition(Jobs.FAILURE_TARGET, "BackoffLimitExceeded",
                        "Job has reached the specified backoff limit");
            }
            return untilDeadline == null || untilDeadline.isPositive()
                    ? null
                    : condition(Jobs.FAILURE_TARGET, "DeadlineExceeded",
                            "Job was active longer than specified deadline");
        }

        private @Nullable V1JobCondition verdict(int failedIndexes, int completedIndexes) {
            Integer most = spec.getMaxFailedIndexes();
            if (most != null && failedIndexes > most) {
                return condition(Jobs.FAILURE_TARGET, "MaxFailedIndexesExceeded",
                        "Job has exceeded the specified maximal number of failed indexes");
            }
            return failedIndexes > 0 && failedIndexes + completedIndexes >= view.completions()
                    ? condition(Jobs.FAILURE_TARGET, "FailedIndexes", "Job has failed indexes")
                    : null;
        }

        private V1JobCondition condition(String type, @Nullable String reason, @Nullable String message) {
            return Jobs.condition(type, "True", reason, message, view.now());
        }

        /** Whether containers that restart in their pods have done so up to the backoff limit. */
        private boolean restartedTooOften() {
            if (!"OnFailure".equals(spec.getTemplate().getSpec().getRestartPolicy())) {
                return false;
            }
            int restarts = 0;
            for (JobPod pod : view.pods()) {
                String phase = Pods.phase(pod.pod());
                if (phase.equals("Running") || phase.equals("Pending")) {
                    restarts += restarts(pod.pod());
                }
            }
            return restarts >= Math.max(1, Jobs.backoffLimit(job));
        }

        private static int restarts(V1Pod pod) {
            int restarts = 0;
            for (List<V1ContainerStatus> statuses : List.of(orEmpty(pod.getStatus().getInitContainerStatuses()),
                    orEmpty(pod.getStatus().getContainerStatuses()))) {
                for (V1ContainerStatus status : statuses) {
                    restarts += orZero(status.getRestartCount());
                }
            }
            return restarts;
        }

        /**
         * The last failed pod of each index that has no active pod and goes on. Its replacement gets the counts of
         * failures from it.
         */
        private Map<Integer, JobPod> lastFailures(List<JobPod> active, Indexes completed, Indexes failed) {
            Set<Integer> activeIndexes = new HashSet<>();
            active.forEach(pod -> activeIndexes.add(pod.index()));
            Map<Integer, JobPod> last = new HashMap<>();
            for (JobPod pod : view.pods()) {
                int index = pod.index();
                if (pod.tracked() && view.hasIndex(pod) && hasFailed(pod, job) && !completed.has(index)
                        && !failed.has(index) && !activeIndexes.contains(index)) {
                    last.merge(index, pod, (before, next) -> allFailures(before) <= allFailures(next)
                            && !next.finishedAt().isBefore(before.finishedAt()) ? next : before);
                }
            }
            return last;
        }

        private static int allFailures(JobPod pod) {
            return pod.failures() + pod.ignoredFailures();
        }
    }
}
