package dev.wheelhouse.simulation;

import java.util.List;
import java.util.function.UnaryOperator;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.controllers.job.TtlAfterFinishedController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the Job controller. */
final class JobFaults {
    /** Every pod of an Indexed Job gets the index 0. */
    private static final Defect ONE_INDEX = Defects.objects(JobController.NAME, Action.Create.class, V1Pod.class,
            pod -> {
                if (pod.getMetadata().getAnnotations() != null) {
                    pod.getMetadata().getAnnotations().computeIfPresent("batch.kubernetes.io/job-completion-index",
                            (k, v) -> "0");
                }
            });

    /** A Job that has just ended is deleted at once. */
    private static final Defect EXPIRED_AT_ONCE = Defects.each(TtlAfterFinishedController.NAME,
            (truth, owner, action) -> action instanceof Action.RequeueAfter
                    ? new Action.Delete(ResourceType.JOBS, Defects.object(owner), Deletion.unconditional(), "it has ended")
                    : action);

    private static final Defect NEVER_EXPIRED = Defects.without(TtlAfterFinishedController.NAME,
            Action.Delete.class::isInstance);

    private JobFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a stale cache read", "runs .* pods at a time|runs a second pod of index",
                        Defects.STALE_READ),
                new PlantedFault("a pod counted twice", "counts .* pods that have succeeded, and .* have", statuses(
                        s -> s.getSucceeded() == null || s.getSucceeded() == 0
                                ? s
                                : s.succeeded(s.getSucceeded() + 1))),
                new PlantedFault("a pod that is not counted", "loses its finalizer, and the Job .* has not counted it",
                        statuses(s -> s.uncountedTerminatedPods(null))),
                new PlantedFault("an index that runs twice",
                        "runs a second pod of index 0|a pod of index 0, which it read is complete", ONE_INDEX),
                new PlantedFault("a Job that expires before its time", "the Job .* expires at .*, and is deleted at",
                        EXPIRED_AT_ONCE),
                new PlantedFault("a Job that never expires", "the Job .* stays, and has expired", NEVER_EXPIRED));
    }

    private static Defect statuses(UnaryOperator<V1JobStatus> change) {
        return Defects.objects(JobController.NAME, Action.UpdateStatus.class, V1Job.class,
                job -> job.setStatus(change.apply(job.getStatus())));
    }
}
