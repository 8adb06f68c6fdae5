package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1UncountedTerminatedPods;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the Job controller. */
final class JobFaults {
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    /** The status does not name the pods that have ended. */
    private static final Defect ENDED_NOT_NAMED = Defects.decision(JobController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> a instanceof Action.UpdateStatus u
                    && u.object() instanceof V1Job job
                            ? new Action.UpdateStatus(u.type(), withoutNames(job), u.why())
                            : a)
                    .toList());

    /** The finalizers stay, and the pods are counted as if they had gone. */
    private static final Defect COUNTED_TOO_EARLY = Defects.decision(JobController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> a instanceof Action.UpdateStatus u
                    && u.object() instanceof V1Job job
                            ? new Action.UpdateStatus(u.type(), counted(job), u.why())
                            : a)
                    .toList());

    /** Each pod is created twice. */
    private static final Defect CREATED_TWICE = Defects.decision(JobController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> {
                if (!(a instanceof Action.Batch batch) || !batch.slowStart()) {
                    return a;
                }
                List<Action.Write> writes = new ArrayList<>(batch.writes());
                writes.addAll(batch.writes());
                return Action.Batch.slowStart(writes);
            }).toList());

    /** Every pod of an Indexed Job gets the index 0. */
    private static final Defect SAME_INDEX = Defects.decision(JobController.NAME,
            truth -> (owner, actions) -> {
                actions.stream().filter(a -> a instanceof Action.Batch).map(a -> (Action.Batch) a)
                        .flatMap(b -> b.writes().stream()).forEach(JobFaults::setIndex);
                return actions;
            });

    private JobFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("pods that have ended are not named", "loses the finalizer before the status names it",
                        ENDED_NOT_NAMED),
                new PlantedFault("pods are counted before they lose the finalizer",
                        "is counted twice|is counted, and has the finalizer|the counters of Job .* grow by",
                        COUNTED_TOO_EARLY),
                new PlantedFault("pods of a Job created twice", "a creation gives Job .* active pods", CREATED_TWICE),
                new PlantedFault("all pods get one index", "gets a second pod", SAME_INDEX),
                new PlantedFault("a stale cache read by the Job controller",
                        "a creation gives Job .* active pods|gets a second pod|is counted twice|the counters of Job",
                        Defects.STALE_READ));
    }

    private static V1Job withoutNames(V1Job job) {
        V1Job copy = ModelJson.copy(job);
        copy.getStatus().setUncountedTerminatedPods(new V1UncountedTerminatedPods());
        return copy;
    }

    private static V1Job counted(V1Job job) {
        V1Job copy = withoutNames(job);
        V1UncountedTerminatedPods names = job.getStatus().getUncountedTerminatedPods();
        if (names != null && names.getSucceeded() != null) {
            Integer succeeded = copy.getStatus().getSucceeded();
            copy.getStatus().setSucceeded((succeeded == null ? 0 : succeeded) + names.getSucceeded().size());
        }
        return copy;
    }

    private static void setIndex(Action.Write write) {
        if (write instanceof Action.Create create && create.type().equals(ResourceType.PODS)
                && create.object() instanceof V1Pod pod && pod.getMetadata().getAnnotations() != null
                && pod.getMetadata().getAnnotations().containsKey(INDEX)) {
            pod.getMetadata().getAnnotations().put(INDEX, "0");
        }
    }
}
