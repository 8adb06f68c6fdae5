package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/** Cron jobs (upstream: {@code pkg/registry/batch/cronjob}). */
final class CronJobStrategy extends Strategy {
    private static final int MAX_NAME = 52;

    CronJobStrategy() {
        super("batch", "CronJob", Column.objectName(),
                Column.of("Schedule", "Times at which jobs start, in the notation of cron.",
                        o -> o.text("spec", "schedule")),
                Column.of("Timezone", "Time zone of the schedule.", o -> o.textOr(Item.NONE, "spec", "timeZone")),
                new Column("Suspend", "boolean", "", "Whether no new jobs start.", 0, CronJobStrategy::suspend),
                Column.integer("Active", "Number of running jobs.", o -> o.size("status", "active")),
                Column.of("Last Schedule", "Time since the last start of a job.",
                        o -> o.has("status", "lastScheduleTime") ? o.since("status", "lastScheduleTime") : Item.NONE),
                Column.age(),
                Containers.names("spec", "jobTemplate", "spec", "template").wide(),
                Containers.images("spec", "jobTemplate", "spec", "template").wide(),
                Column.of("Selector", "Selector of the jobs' pods.",
                        o -> o.selector("spec", "jobTemplate", "spec", "selector")).wide());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.batch.v1.CronJobSpec", spec -> {
            set(spec, "concurrencyPolicy", "Allow");
            set(spec, "suspend", false);
            set(spec, "successfulJobsHistoryLimit", 3);
            set(spec, "failedJobsHistoryLimit", 1);
        });
    }

    private static String suspend(Item cronJob) {
        if (!cronJob.has("spec", "suspend")) {
            return Item.UNSET;
        }
        return cronJob.flag("spec", "suspend") ? "True" : "False";
    }

    @Override
    protected void validate(ObjectNode cronJob, Problems problems) {
        spec(cronJob.path("spec"), problems);
        String name = Json.text(cronJob, "metadata", "name");
        if (name.length() > MAX_NAME) {
            problems.invalid("metadata.name", name, "must be no more than 52 characters");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode cronJob, ObjectNode old, Problems problems) {
        spec(cronJob.path("spec"), problems);
    }

    private static void spec(JsonNode spec, Problems problems) {
        String schedule = Json.text(spec, "schedule");
        if (schedule.isEmpty()) {
            problems.required("spec.schedule");
        } else {
            int fields = schedule.strip().split("\\s+").length;
            if (!schedule.startsWith("@") && fields != 5 && !schedule.contains("TZ")) {
                problems.invalid("spec.schedule", schedule,
                        "expected exactly 5 fields, found " + fields + ": [" + String.join(" ", schedule.split("\\s+"))
                                + "]");
            }
            if (schedule.contains("TZ")) {
                problems.invalid("spec.schedule", schedule,
                        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            }
        }
        problems.nonNegative(spec, "spec", "startingDeadlineSeconds");
        problems.oneOf("spec.concurrencyPolicy", Json.text(spec, "concurrencyPolicy"), "Allow", "Forbid", "Replace");
        JobSpecRules.check(spec.path("jobTemplate").path("spec"), "spec.jobTemplate.spec", problems);
        problems.nonNegative(spec, "spec", "successfulJobsHistoryLimit");
        problems.nonNegative(spec, "spec", "failedJobsHistoryLimit");
    }
}
