package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Job;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the CronJob controller. */
final class CronJobFaults {
    /** The name of a Job does not follow from the time, so that the server cannot refuse a second one. */
    private static final Defect NAMES_BY_CHANCE = Defects.writes(CronJobController.NAME, (truth, write) -> {
        if (!(write instanceof Action.Create c && c.object() instanceof V1Job job)) {
            return write;
        }
        V1Job other = ModelJson.copy(job);
        other.getMetadata().setName(null);
        other.getMetadata().setGenerateName("run-");
        return new Action.Create(c.type(), other, c.why());
    });

    /** A status does not tell of the last run. */
    private static final Defect RUNS_FORGOTTEN = Defects.writes(CronJobController.NAME, (truth, write) -> {
        if (!(write instanceof Action.UpdateStatus u && u.object() instanceof V1CronJob cronJob)) {
            return write;
        }
        V1CronJob other = ModelJson.copy(cronJob);
        other.getStatus().setLastScheduleTime(null);
        return new Action.UpdateStatus(u.type(), other, u.why());
    });

    /** The history takes Jobs that run. */
    private static final Defect RUNNING_JOBS_DELETED = Defects.decision(CronJobController.NAME,
            truth -> (owner, actions) -> {
                if (actions.stream().anyMatch(Action.UpdateStatus.class::isInstance)) {
                    truth.list(Api.type("job"), V1Job.class).stream()
                            .filter(j -> j.getStatus() == null || j.getStatus().getCompletionTime() == null)
                            .findFirst().ifPresent(j -> actions.addFirst(new Action.Delete(Api.type("job"),
                                    ObjectKey.of(j),
                                    Deletion.ofUid(j.getMetadata().getUid()).withPropagation("Background"), "why not")));
                }
                return actions;
            });

    private CronJobFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a name that does not follow from the time", "runs the time .* twice",
                        NAMES_BY_CHANCE),
                new PlantedFault("a run that no status tells of", "runs the time .* twice", RUNS_FORGOTTEN),
                new PlantedFault("a history that takes Jobs that run", "deletes .*, which runs",
                        RUNNING_JOBS_DELETED));
    }
}
