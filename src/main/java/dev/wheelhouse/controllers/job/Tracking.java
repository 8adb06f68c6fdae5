package dev.wheelhouse.controllers.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1UncountedTerminatedPods;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orNull;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The first step of counting: the status names the pods that have ended, before they lose the finalizer. Whatever
 * happens after that, no pod is counted twice or lost (upstream: {@code trackJobStatusAndRemoveFinalizers} in
 * {@code pkg/controller/job/job_controller.go}).
 *
 * @param status the status to write
 * @param changed whether the status has to be written
 * @param ended the pods that lose the finalizer after that
 * @param handled the actions of the pod failure policy's rules that the ended pods match, one for each pod
 * @param tracked the UIDs of all pods with the finalizer
 * @param verdict the condition that ends the Job once all its pods are counted; null if it goes on
 * @param events the Events about a suspension or its end
 */
record Tracking(V1JobStatus status, boolean changed, List<JobPod> ended, List<String> handled,
        Set<String> tracked, @Nullable V1JobCondition verdict, List<Action> events) {
    /** The maximum number of pods that the status names. */
    static final int MOST_UNCOUNTED = 500;

    static Tracking of(Assessment job, PodPlan plan, Scaled scaled) {
        return new Tracker(job, plan, scaled).track();
    }

    /**
     * The second step: pods that the status names and that have lost the finalizer move to the counters.
     *
     * @param tracked the UIDs of the pods that still have the finalizer
     * @return a new status; null if nothing changes
     */
    static @Nullable V1JobStatus count(V1JobStatus status, Set<String> tracked) {
        V1UncountedTerminatedPods uncounted = status.getUncountedTerminatedPods();
        if (uncounted == null
                || (tracked.containsAll(orEmpty(uncounted.getSucceeded()))
                        && tracked.containsAll(orEmpty(uncounted.getFailed())))) {
            return null;
        }
        List<String> succeeded = orEmpty(uncounted.getSucceeded()).stream().filter(tracked::contains).toList();
        List<String> failed = orEmpty(uncounted.getFailed()).stream().filter(tracked::contains).toList();
        return ModelJson.shallowCopy(status)
                .succeeded(orNull(
                        orZero(status.getSucceeded()) + orEmpty(uncounted.getSucceeded()).size() - succeeded.size()))
                .failed(orNull(orZero(status.getFailed()) + orEmpty(uncounted.getFailed()).size() - failed.size()))
                .uncountedTerminatedPods(new V1UncountedTerminatedPods().succeeded(succeeded).failed(failed));
    }

    /** The last step: the status of the Job with its verdict; null if pods are still uncounted or being deleted. */
    static @Nullable V1JobStatus end(V1JobStatus status, V1JobCondition verdict, int terminating) {
        V1UncountedTerminatedPods uncounted = status.getUncountedTerminatedPods();
        if (terminating > 0
                || (uncounted != null && !(orEmpty(uncounted.getSucceeded()).isEmpty()
                        && orEmpty(uncounted.getFailed()).isEmpty()))) {
            return null;
        }
        V1JobStatus ended = ModelJson.shallowCopy(status).conditions(Jobs.with(Jobs.conditions(status), verdict));
        return Jobs.is(verdict, Jobs.COMPLETE) ? ended.completionTime(verdict.getLastTransitionTime()) : ended;
    }

    /** The Events about a Job that has ended. */
    static List<Action> eventsOfEnd(V1Job job, V1JobCondition verdict) {
        if (!Jobs.is(verdict, Jobs.COMPLETE)) {
            return List.of(event(job, EventRecorder.WARNING, verdict.getReason(), verdict.getMessage()));
        }
        List<Action> events = new ArrayList<>(2);
        Integer completions = job.getSpec().getCompletions();
        if (completions != null && orZero(job.getStatus().getSucceeded()) > completions) {
            events.add(event(job, EventRecorder.WARNING, "TooManySucceededPods",
                    "Too many succeeded pods running after completion count reached"));
        }
        events.add(event(job, EventRecorder.NORMAL, "Completed", "Job completed"));
        return events;
    }

    private static Action event(V1Job job, String type, String reason, String message) {
        return new Action.Event(ResourceType.JOBS, job, type, reason, message);
    }

    /** The state of one first step. */
    private static final class Tracker {
        private final Assessment assessment;
        private final JobView view;
        private final V1Job job;
        private final PodPlan plan;
        private final Scaled scaled;
        private final V1JobStatus before;
        private final Set<String> tracked = new HashSet<>();
        private final List<JobPod> ended = new ArrayList<>();
        private final List<String> handled = new ArrayList<>();
        private final List<Action> events = new ArrayList<>(1);
        private V1JobStatus status;
        private boolean changed;

        Tracker(Assessment assessment, PodPlan plan, Scaled scaled) {
            this.assessment = assessment;
            this.view = assessment.view();
            this.job = view.job();
            this.plan = plan;
            this.scaled = scaled;
            this.before = job.getStatus() == null ? new V1JobStatus() : job.getStatus();
            this.status = ModelJson.shallowCopy(before);
        }

        Tracking track() {
            if (assessment.startedAt() != null) {
                status.startTime(Durations.wholeSeconds(assessment.startedAt()));
            }
            V1JobCondition verdict = verdict();
            changed |= scaled.active() != orZero(before.getActive())
                    || !Objects.equals(scaled.ready(), before.getReady())
                    || !Objects.equals(scaled.terminating(), before.getTerminating());
            status.active(orNull(scaled.active())).ready(scaled.ready()).terminating(scaled.terminating());
            view.pods().stream().filter(JobPod::tracked).forEach(pod -> tracked.add(pod.uid()));
            V1JobStatus counted = count(status, tracked);
            if (counted != null) {
                changed = true;
                status = counted;
            }
            boolean namedAll = nameEnded(verdict);
            V1JobCondition end = target(verdict);
            return new Tracking(status, changed, ended, handled, tracked, namedAll ? end : null, events);
        }

        /** The condition that ends the Job; null if it goes on, or if active pods could not be deleted. */
        private @Nullable V1JobCondition verdict() {
            if (plan instanceof PodPlan.End end) {
                return scaled.deleted() == end.pods().size() ? assessment.verdict() : null;
            }
            boolean complete = job.getSpec().getCompletions() == null
                    ? assessment.succeeded() > 0
                    : assessment.succeeded() >= view.completions();
            if (complete && scaled.active() == 0) {
                return Jobs.condition(Jobs.SUCCESS_CRITERIA_MET, "True", "CompletionsReached",
                        "Reached expected number of succeeded pods", view.now());
            }
            if (!Jobs.isDeleting(job)) {
                suspendOrResume();
            }
            return null;
        }

        private void suspendOrResume() {
            boolean suspended = Jobs.isSuspended(job);
            String what = suspended ? "Suspended" : "Resumed";
            String message = suspended ? "Job suspended" : "Job resumed";
            List<V1JobCondition> conditions = Jobs.with(Jobs.conditions(status), Jobs.condition(Jobs.SUSPENDED,
                    suspended ? "True" : "False", "Job" + what, message, view.now()));
            if (!conditions.equals(Jobs.conditions(status))) {
                changed = true;
                status.conditions(conditions).startTime(suspended ? null : Durations.wholeSeconds(view.now()));
                events.add(event(job, EventRecorder.NORMAL, what, message));
            }
        }

        /**
         * Finds the pods that have ended and names them in the status, up to the limit.
         * @return whether the limit was not reached
         */
        private boolean nameEnded(@Nullable V1JobCondition verdict) {
            V1UncountedTerminatedPods uncounted = status.getUncountedTerminatedPods();
            List<String> succeeded = uncounted == null ? List.of() : orEmpty(uncounted.getSucceeded());
            List<String> failed = uncounted == null ? List.of() : orEmpty(uncounted.getFailed());
            Set<String> wereNamed = new HashSet<>(succeeded);
            wereNamed.addAll(failed);
            List<String> nowSucceeded = new ArrayList<>(succeeded);
            List<String> nowFailed = new ArrayList<>(failed);
            Set<Integer> newIndexes = new HashSet<>();
            List<JobPod> pods = new ArrayList<>(view.pods());
            if (view.isIndexed()) {
                pods.sort(Comparator.comparingInt(JobPod::index));
            }
            boolean full = false;
            for (int i = 0; i < pods.size() && !full; i++) {
                JobPod pod = pods.get(i);
                boolean failure = Assessment.hasFailed(pod, job);
                if (!pod.tracked() || !mayLoseFinalizer(pod, failure, verdict)) {
                    continue;
                }
                ended.add(pod);
                if (!wereNamed.contains(pod.uid()) && view.counts(pod)) {
                    if (pod.succeeded() && view.isIndexed()) {
                        changed |= !assessment.countedIndexes().has(pod.index()) && newIndexes.add(pod.index());
                    } else if (pod.succeeded()) {
                        nowSucceeded.add(pod.uid());
                    } else if ((failure || (verdict != null && !Jobs.is(verdict, Jobs.SUCCESS_CRITERIA_MET)))
                            && handle(pod).counts()) {
                        nowFailed.add(pod.uid());
                    }
                }
                full = newIndexes.size() + nowSucceeded.size() + nowFailed.size() >= MOST_UNCOUNTED;
            }
            changed |= nowSucceeded.size() + nowFailed.size() > wereNamed.size();
            status.uncountedTerminatedPods(new V1UncountedTerminatedPods().succeeded(nowSucceeded).failed(nowFailed));
            if (view.isIndexed()) {
                nameIndexes(assessment.completedIndexes().with(newIndexes), assessment.failedIndexes());
            }
            return !full;
        }

        private PodFailurePolicy.Match handle(JobPod pod) {
            PodFailurePolicy.Match match = Assessment.match(pod, job);
            if (match.action() != null) {
                handled.add(match.action());
            }
            return match;
        }

        private void nameIndexes(Indexes completed, @Nullable Indexes failed) {
            String completedText = completed.isEmpty() ? null : completed.toString();
            String failedText = failed == null ? null : failed.toString();
            changed |= !Objects.equals(completedText, status.getCompletedIndexes())
                    || !Objects.equals(failedText, status.getFailedIndexes());
            status.completedIndexes(completedText).failedIndexes(failedText).succeeded(orNull(completed.total()));
        }

        private boolean mayLoseFinalizer(JobPod pod, boolean failed, @Nullable V1JobCondition verdict) {
            if (Jobs.isDeleting(job) || verdict != null || pod.succeeded()) {
                return true;
            }
            // A namespace that is being deleted gets no replacement. Upstream keeps the pod, and with it the namespace.
            JobPod kept = scaled.namespaceEnds() ? null : assessment.lastFailures().get(pod.index());
            return failed && (kept == null || !kept.uid().equals(pod.uid()));
        }

        /**
         * Puts the interim condition of a verdict into the status.
         * @return the final condition, for after all pods are counted
         */
        private @Nullable V1JobCondition target(@Nullable V1JobCondition verdict) {
            boolean failure = Jobs.is(verdict, Jobs.FAILURE_TARGET);
            boolean success = Jobs.is(verdict, Jobs.SUCCESS_CRITERIA_MET);
            if (verdict == null || !(failure || success)) {
                return verdict;
            }
            if (failure || Jobs.trueCondition(status, Jobs.SUCCESS_CRITERIA_MET) == null) {
                List<V1JobCondition> conditions = new ArrayList<>(Jobs.conditions(status));
                conditions.add(verdict);
                status.conditions(conditions);
                changed = true;
            }
            return Jobs.condition(failure ? Jobs.FAILED : Jobs.COMPLETE, "True", verdict.getReason(),
                    verdict.getMessage(), view.now());
        }
    }
}
