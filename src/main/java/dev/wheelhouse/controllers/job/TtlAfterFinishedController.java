package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.runtime.Durations;

/**
 * Deletes Jobs when {@code spec.ttlSecondsAfterFinished} has passed since their end (upstream:
 * {@code pkg/controller/ttlafterfinished}). Upstream reads the Job again before it deletes it. Here the deletion names
 * the version that was decided on, so that a Job whose time to live has just been changed is not deleted either.
 */
public final class TtlAfterFinishedController extends ObjectController<V1Job> {
    public static final String NAME = "ttl-after-finished-controller";

    private static final Measure DELETION = Measure.histogram(
            "ttl_after_finished_controller_job_deletion_duration_seconds",
            "Time from the end of a Job's time to live to its deletion in seconds", 0.1, 14);

    public TtlAfterFinishedController(ControllerContext context) {
        super(NAME, context, ResourceType.JOBS, V1Job.class);
        watch(primary).when(change -> change.object().getSpec().getTtlSecondsAfterFinished() != null
                && Jobs.isFinished(change.object())).enqueue(ObjectKey::of);
    }

    @Override
    protected Result sync(ObjectKey key, V1Job job, SyncRun run) {
        Outcome outcome = run.execute(decide(job, clock.now()));
        Instant expiry = expiry(job);
        if (expiry != null && outcome.attempts().stream().anyMatch(Attempt::done)) {
            run.count(DELETION, Duration.between(expiry, clock.now()).toMillis() / 1e3);
        }
        return outcome.toResult();
    }

    /** The deletion of a Job whose time has passed, or a sync when it has. A pure function. */
    static List<Action> decide(V1Job job, Instant now) {
        Instant expiry = expiry(job);
        V1ObjectMeta meta = job.getMetadata();
        if (expiry == null || meta.getDeletionTimestamp() != null) {
            return List.of();
        }
        if (expiry.isAfter(now)) {
            return List.of(new Action.RequeueAfter(Duration.between(now, expiry)));
        }
        Deletion deletion = new Deletion(null, meta.getUid(), meta.getResourceVersion(), "Foreground");
        return List.of(new Action.Delete(ResourceType.JOBS, ObjectKey.of(job), deletion,
                "its time to live after its end has passed at " + expiry));
    }

    /** The time at which the Job is to be deleted; null if it has not ended or lives on. */
    private static @Nullable Instant expiry(V1Job job) {
        Integer seconds = job.getSpec().getTtlSecondsAfterFinished();
        V1JobCondition end = Jobs.finishedBy(job);
        return seconds == null || end == null || end.getLastTransitionTime() == null
                ? null
                : Durations.after(end.getLastTransitionTime().toInstant(), seconds);
    }
}
