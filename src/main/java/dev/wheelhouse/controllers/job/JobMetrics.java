package dev.wheelhouse.controllers.job;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * The metrics of the Job controller (upstream: {@code pkg/controller/job/metrics/metrics.go}). Upstream counts a failed
 * creation of a pod as a successful one too, and loses the pods that were counted before a finalizer could not be
 * removed. Here each creation and each counted pod counts once.
 */
record JobMetrics(JobMetrics.Counter counter) {
    private static final Measure SYNC_DURATION = Measure.histogram("job_controller_job_sync_duration_seconds",
            "Duration of syncs of Jobs in seconds", 0.004, 15, "completion_mode", "result", "action");
    private static final Measure SYNCS = Measure.counter("job_controller_job_syncs_total", "Syncs of Jobs",
            "completion_mode", "result", "action");
    private static final Measure FINISHED = Measure.counter("job_controller_jobs_finished_total",
            "Jobs that have completed or failed", "completion_mode", "result", "reason");
    private static final Measure MANAGED_BY_OTHERS = Measure.counter(
            "job_controller_jobs_by_external_controller_total", "Jobs that another controller manages",
            "controller_name");
    private static final Measure PODS_FINISHED = Measure.counter("job_controller_job_pods_finished_total",
            "Pods that have ended and are counted in the status of their Job", "completion_mode", "result");
    private static final Measure HANDLED_FAILURES = Measure.counter(
            "job_controller_pod_failures_handled_by_failure_policy_total",
            "Failed pods by the action of the matching rule of the pod failure policy", "action");
    private static final Measure TRACKED_ENDED = Measure.counter(
            "job_controller_terminated_pods_tracking_finalizer_total",
            "Ended pods with the tracking finalizer that appeared, and that lost it or disappeared", "event");
    private static final Measure FINISHED_INDEXES = Measure.counter("job_controller_job_finished_indexes_total",
            "Indexes that have succeeded or failed, by the scope of the backoff limit", "status", "backoffLimit");
    private static final Measure PODS_CREATED = Measure.counter("job_controller_job_pods_creation_total",
            "Creations of pods by reason and outcome", "reason", "status");

    /** Counts a value, such as {@code SyncRun.count}. */
    interface Counter {
        void count(Measure measure, double value, String... labels);
    }

    /** @param action the action of the sync; see {@link JobSync#action()} */
    void synced(V1Job job, boolean succeeded, String action, long nanos) {
        String result = succeeded ? "success" : "error";
        counter.count(SYNC_DURATION, nanos / 1e9, mode(job), result, action);
        counter.count(SYNCS, 1, mode(job), result, action);
    }

    /** Pods were tried to be created. A refusal because the namespace is being deleted is no failure. */
    void created(Assessment assessment, Outcome outcome, boolean namespaceEnds) {
        int done = (int) outcome.attempts().stream().filter(Attempt::done).count();
        int failed = namespaceEnds ? 0 : outcome.attempts().size() - done;
        boolean onlyFailed = "Failed".equals(assessment.view().job().getSpec().getPodReplacementPolicy());
        String reason = onlyFailed && assessment.failed() > 0
                ? "recreate_failed"
                : assessment.failed() > 0 || assessment.terminating() > 0 ? "recreate_terminating_or_failed" : "new";
        add(PODS_CREATED, done, reason, "succeeded");
        add(PODS_CREATED, failed, reason, "failed");
    }

    /** A failed pod matched a rule of the pod failure policy. */
    void handled(String action) {
        add(HANDLED_FAILURES, 1, action);
    }

    /** A status replaced another one, which is null if there was none. */
    void counted(V1Job job, @Nullable V1JobStatus before, V1JobStatus after) {
        V1JobStatus then = before == null ? new V1JobStatus() : before;
        int succeeded = orZero(after.getSucceeded()) - orZero(then.getSucceeded());
        if (Jobs.isIndexed(job)) {
            // After a reduction of the completions, indexes beyond them no longer count on either side.
            succeeded = newIndexes(job, then.getCompletedIndexes(), after.getCompletedIndexes());
            String scope = Jobs.hasLimitPerIndex(job) ? "perIndex" : "global";
            add(FINISHED_INDEXES, succeeded, "succeeded", scope);
            add(FINISHED_INDEXES, newIndexes(job, then.getFailedIndexes(), after.getFailedIndexes()), "failed", scope);
        }
        add(PODS_FINISHED, succeeded, mode(job), "succeeded");
        add(PODS_FINISHED, orZero(after.getFailed()) - orZero(then.getFailed()), mode(job), "failed");
    }

    private static int newIndexes(V1Job job, @Nullable String before, @Nullable String after) {
        int completions = job.getSpec().getCompletions();
        return Objects.equals(before, after)
                ? 0
                : Indexes.parse(after, completions).total() - Indexes.parse(before, completions).total();
    }

    /** @param verdict the condition that ended the Job */
    void finished(V1Job job, V1JobCondition verdict) {
        add(FINISHED, 1, mode(job), Jobs.is(verdict, Jobs.COMPLETE) ? "succeeded" : "failed",
                String.valueOf(verdict.getReason()));
    }

    private static String mode(V1Job job) {
        return Jobs.isIndexed(job) ? "Indexed" : "NonIndexed";
    }

    private void add(Measure measure, int count, String... labels) {
        if (count > 0) {
            counter.count(measure, count, labels);
        }
    }

    /** Counts the Jobs that appear and that another controller manages. */
    void changed(Change<V1Job> change) {
        V1Job job = change.object();
        if (change.isAddition() && Jobs.isManagedByOther(job)) {
            add(MANAGED_BY_OTHERS, 1, String.valueOf(job.getSpec().getManagedBy()));
        }
    }

    /** Counts the ended pods with the finalizer. */
    void changedPod(Change<V1Pod> change) {
        boolean was = isTrackedAndEnded(change.before());
        boolean is = isTrackedAndEnded(change.after());
        if (was != is) {
            add(TRACKED_ENDED, 1, is ? "add" : "delete");
        }
    }

    private static boolean isTrackedAndEnded(@Nullable V1Pod pod) {
        return pod != null && Pods.isFinished(pod) && JobPod.isTracked(pod);
    }
}
