package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.ControllerRefManager.Claim;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.PodEvents;

/**
 * One sync of one Job: claim pods; create or delete pods; write the pods that have ended into the status; remove their
 * finalizers; count them, and perhaps end the Job. Each phase uses the outcome of the one before. The sync may stop
 * after any write: the next one goes on from what the API server has.
 */
final class JobSync {
    private final SyncRun run;
    private final PodBackoff backoff;
    private final Consumer<PodBackoff> memory;
    private final JobMetrics metrics;
    private final ObjectKey key;
    private final V1Job job;
    private final Instant now;
    private String action = "reconciling";

    /**
     * @param backoff the backoff after the last sync
     * @param memory is told of the backoff for the next sync
     */
    JobSync(SyncRun run, PodBackoff backoff, Consumer<PodBackoff> memory, JobMetrics metrics, V1Job job, Instant now) {
        this.run = run;
        this.backoff = backoff;
        this.memory = memory;
        this.metrics = metrics;
        this.key = ObjectKey.of(job);
        this.job = job;
        this.now = now;
    }

    Result sync(Claim<V1Pod> claim) {
        Outcome claimed = run.execute(ControllerRefManager.actions(claim, ResourceType.PODS,
                ResourceType.JOBS, job.getMetadata(), JobPod.FINALIZER));
        if (!claimed.succeeded()) {
            return claimed.toResult();
        }
        Assessment assessment = Assessment.of(new JobView(job, pods(claim, claimed), backoff, now));
        PodPlan plan = PodPlan.of(assessment);
        action = action(plan);
        Scaled scaled = carryOut(assessment, plan);
        // The API server refuses a status with more ready than active pods. Upstream tries it, until the wait ends.
        KubeApiException error = scaled.ready() > scaled.active()
                ? null
                : track(assessment, Tracking.of(assessment, plan, scaled), scaled);
        error = error == null ? scaled.error() : error;
        if (error != null) {
            return Result.retry(error);
        }
        Duration delay = plan instanceof PodPlan.Wait wait ? wait.delay() : null;
        Duration deadline = assessment.untilDeadline();
        if (deadline != null && deadline.isPositive() && (delay == null || deadline.compareTo(delay) < 0)) {
            delay = deadline;
        }
        return delay == null ? Result.done() : Result.requeueAfter(delay);
    }

    /** The change of the pods, in the words of the metrics. */
    String action() {
        return action;
    }

    private String action(PodPlan plan) {
        if (plan instanceof PodPlan.End || Jobs.isDeleting(job)) {
            return "reconciling";
        }
        if (plan instanceof PodPlan.Remove || Jobs.isSuspended(job)) {
            return "pods_deleted";
        }
        return plan instanceof PodPlan.Keep ? "tracking" : "pods_created";
    }

    /** The pods of the Job. A pod that was deleted before its adoption does not count. */
    private static List<JobPod> pods(Claim<V1Pod> claim, Outcome claimed) {
        List<JobPod> pods = new ArrayList<>(claim.owned().size() + claim.adopt().size());
        claim.owned().forEach(pod -> pods.add(JobPod.of(pod)));
        claim.adopted(claimed).forEach(pod -> pods.add(JobPod.adopted(pod)));
        return pods;
    }

    // ---- create and delete pods

    private Scaled carryOut(Assessment assessment, PodPlan plan) {
        int active = assessment.active().size();
        int ready = (int) assessment.active().stream().filter(JobPod::isReady).count();
        int terminating = assessment.terminating();
        return switch (plan) {
            case PodPlan.Keep keep -> Scaled.unchanged(active, ready, terminating);
            case PodPlan.Wait wait -> Scaled.unchanged(0, ready, terminating);
            case PodPlan.Create create -> create(assessment, create, ready, terminating);
            case PodPlan.End end -> {
                Outcome deleted = delete(end.pods().stream().map(JobPod::pod).toList(), "the Job has ended");
                int done = end.pods().size() - failures(deleted);
                yield new Scaled(active - done, 0, terminating + done, done, false, deleted.error());
            }
            case PodPlan.Remove remove -> remove(assessment, remove.pods(), ready, terminating);
        };
    }

    private Scaled create(Assessment assessment, PodPlan.Create plan, int ready, int terminating) {
        NewPods pods = new NewPods(assessment);
        String why = "too few pods of Job " + key + ": it has " + assessment.active().size() + " active and needs "
                + plan.count() + " more";
        List<Action.Write> writes = new ArrayList<>(plan.count());
        for (int i = 0; i < plan.count(); i++) {
            V1Pod pod = plan.indexes().isEmpty() ? pods.pod() : pods.pod(plan.indexes().get(i));
            writes.add(new Action.Create(ResourceType.PODS, pod, why));
        }
        Outcome created = run.execute(List.of(Action.Batch.slowStart(writes)));
        run.execute(PodEvents.of(ResourceType.JOBS, job, created.attempts()));
        KubeApiException error = created.error();
        boolean namespaceEnds = error != null && error.isNamespaceTerminating();
        metrics.created(assessment, created, namespaceEnds);
        error = namespaceEnds ? null : error;
        int done = error == null ? plan.count() : (int) created.attempts().stream().filter(Attempt::done).count();
        return new Scaled(assessment.active().size() + done, ready, terminating, 0, namespaceEnds, error);
    }

    private Scaled remove(Assessment assessment, List<JobPod> surplus, int ready, int terminating) {
        Map<ObjectKey, V1Pod> pods = new LinkedHashMap<>();
        surplus.forEach(pod -> pods.put(ObjectKey.of(pod.pod()), pod.pod()));
        Outcome patched = run.execute(List.of(Action.Batch.each(surplus.stream().filter(JobPod::tracked)
                .map(pod -> removeFinalizer(pod.pod(), "it is surplus in Job " + key)).toList())));
        for (Attempt attempt : patched.attempts()) {
            if (!attempt.done()) {
                pods.remove(attempt.write().target());
            } else if (attempt.answer() instanceof V1Pod answer) {
                pods.put(attempt.write().target(), answer);
            }
        }
        Outcome deleted = delete(pods.values(), "surplus pod of Job " + key);
        int removed = surplus.size() - failures(patched) - failures(deleted);
        int removedReady = (int) surplus.stream()
                .filter(pod -> pod.isReady() && pods.containsKey(ObjectKey.of(pod.pod())))
                .count();
        return new Scaled(assessment.active().size() - removed, ready - removedReady, terminating + removed, removed,
                false, patched.error() != null ? patched.error() : deleted.error());
    }

    private Outcome delete(Collection<V1Pod> pods, String why) {
        Outcome deleted = run.execute(List.of(Action.Batch.each(pods.stream()
                .map(pod -> new Action.Delete(ResourceType.PODS, ObjectKey.of(pod),
                        Deletion.ofUid(pod.getMetadata().getUid()), why))
                .toList())));
        run.execute(PodEvents.of(ResourceType.JOBS, job, deleted.attempts()));
        return deleted;
    }

    private static int failures(Outcome outcome) {
        return (int) outcome.attempts().stream().filter(Attempt::failed).count();
    }

    /** The patch contains the pod's UID, so that the server rejects it for another pod of the same name. */
    static Action.Write removeFinalizer(V1Pod pod, String why) {
        String body = "{\"metadata\":{\"uid\":\"" + pod.getMetadata().getUid()
                + "\",\"$deleteFromPrimitiveList/finalizers\":[\"" + JobPod.FINALIZER + "\"]}}";
        return new Action.Patch(ResourceType.PODS, ObjectKey.of(pod), "", PatchType.STRATEGIC_MERGE, body, why,
                Set.of(404));
    }

    // ---- count the pods that have ended

    /** @return the first failure; null if all writes succeeded */
    private @Nullable KubeApiException track(Assessment assessment, Tracking tracking, Scaled scaled) {
        run.execute(tracking.events());
        V1Job current = job;
        if (tracking.changed()) {
            Outcome written = write(current, tracking.status(), "status of " + scaled.active() + " active pods");
            if (written.error() != null) {
                return written.error();
            }
            current = (V1Job) written.written().getFirst();
            run.effect(() -> memory.accept(assessment.backoff()));
        }
        tracking.handled().forEach(metrics::handled);
        KubeApiException error = removeFinalizers(tracking);
        V1JobStatus before = current.getStatus() == null ? tracking.status() : current.getStatus();
        V1JobStatus counted = Tracking.count(before, tracking.tracked());
        V1JobCondition verdict = error == null ? tracking.verdict() : null;
        V1JobStatus ended = verdict == null
                ? null
                : Tracking.end(counted == null ? before : counted, verdict, scaled.terminating());
        V1JobStatus status = ended == null ? counted : ended;
        if (status != null) {
            Outcome written = write(current, status, "counted the pods that have ended");
            if (written.error() != null) {
                return written.error();
            }
            if (ended != null && verdict != null) {
                run.effect(() -> memory.accept(PodBackoff.NONE));
                metrics.finished(job, verdict);
                run.execute(Tracking.eventsOfEnd(withStatus(current, status), verdict));
            }
        }
        return error;
    }

    /** Removes the finalizers of the pods that have ended, and these pods from the set of tracked ones. */
    private @Nullable KubeApiException removeFinalizers(Tracking tracking) {
        if (tracking.ended().isEmpty()) {
            return null;
        }
        Outcome removed = run.execute(List.of(Action.Batch.each(tracking.ended().stream()
                .map(pod -> removeFinalizer(pod.pod(), "Job " + key + " has counted it")).toList())));
        for (int i = 0; i < removed.attempts().size(); i++) {
            Attempt attempt = removed.attempts().get(i);
            JobPod pod = tracking.ended().get(i);
            if (!attempt.failed()) {
                tracking.tracked().remove(pod.uid());
            }
        }
        return removed.error();
    }

    private Outcome write(V1Job current, V1JobStatus status, String why) {
        Outcome written = run.execute(
                List.of(new Action.UpdateStatus(ResourceType.JOBS, withStatus(current, status), why)));
        if (written.succeeded()) {
            metrics.counted(job, current.getStatus(), status);
        }
        return written;
    }

    private static V1Job withStatus(V1Job job, V1JobStatus status) {
        return ModelJson.shallowCopy(job).status(status);
    }
}
