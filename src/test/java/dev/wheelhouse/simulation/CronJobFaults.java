package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Job;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the CronJob controller. */
final class CronJobFaults {
    /** The names of Jobs do not follow from the time, so that a time may run twice. */
    private static final Defect TWICE = Defects.decision(CronJobController.NAME,
            truth -> (owner, actions) -> actions.stream().flatMap(a -> a instanceof Action.Create c
                    && c.object() instanceof V1Job job ? twice(c, job).stream() : List.of(a).stream()).toList());

    /** The history loses the newest Job instead of the oldest. */
    private static final Defect NEWEST_FIRST = Defects.writes(CronJobController.NAME, (truth, write) -> {
        List<V1Job> jobs = truth.list(ResourceType.JOBS, V1Job.class);
        return write instanceof Action.Delete && !jobs.isEmpty()
                ? new Action.Delete(ResourceType.JOBS, ObjectKey.of(jobs.getLast()),
                        Deletion.ofUid(Truth.uid(jobs.getLast())), "history")
                : write;
    });

    private CronJobFaults() {}

    static List<PlantedFault> all() {
        return List.of(new PlantedFault("a time that runs twice", "runs a time twice", TWICE),
                new PlantedFault("a running Job deleted from the history", "is deleted, and it read that it runs",
                        NEWEST_FIRST));
    }

    private static List<Action> twice(Action.Create create, V1Job job) {
        V1Job other = ModelJson.copy(job);
        other.getMetadata().setName(job.getMetadata().getName() + "0");
        List<Action> both = new ArrayList<>(List.of(create));
        both.add(new Action.Create(create.type(), other, create.why()));
        return both;
    }
}
