package dev.wheelhouse.apiserver.table;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Group {@code batch}. */
final class BatchPrinters {
    private BatchPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("batch/Job", List.of(Column.objectName(),
                Column.of("Status", "How far the job is.", BatchPrinters::status),
                Column.of("Completions", "Pods that succeeded, of those needed.", BatchPrinters::completions),
                Column.of("Duration", "From the start to the end, or to now.", BatchPrinters::duration),
                Column.age(), Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide(),
                Column.of("Selector", "Which pods belong to the job.", o -> Selectors.format(o, "spec", "selector"))
                        .wide()));
        all.put("batch/CronJob", List.of(Column.objectName(),
                Column.of("Schedule", "When jobs start, in cron's notation.", o -> o.text("spec", "schedule")),
                Column.of("Timezone", "Time zone of the schedule.", o -> o.textOr(Item.NONE, "spec", "timeZone")),
                new Column("Suspend", "boolean", "", "Whether new jobs are held back.", 0, BatchPrinters::suspend),
                Column.integer("Active", "How many jobs are running.", o -> o.size("status", "active")),
                Column.of("Last Schedule", "How long ago a job was last started.",
                        o -> o.has("status", "lastScheduleTime") ? o.since("status", "lastScheduleTime") : Item.NONE),
                Column.age(),
                Containers.names("spec", "jobTemplate", "spec", "template").wide(),
                Containers.images("spec", "jobTemplate", "spec", "template").wide(),
                Column.of("Selector", "Which pods belong to the jobs.",
                        o -> Selectors.format(o, "spec", "jobTemplate", "spec", "selector")).wide()));
    }

    private static String status(Item job) {
        if (job.isTrue("Complete")) {
            return "Complete";
        }
        if (job.isTrue("Failed")) {
            return "Failed";
        }
        if (job.deleting()) {
            return "Terminating";
        }
        for (String condition : List.of("Suspended", "FailureTarget", "SuccessCriteriaMet")) {
            if (job.isTrue(condition)) {
                return condition;
            }
        }
        return "Running";
    }

    private static String completions(Item job) {
        long succeeded = job.number("status", "succeeded");
        if (job.has("spec", "completions")) {
            return succeeded + "/" + job.number("spec", "completions");
        }
        long parallelism = job.number("spec", "parallelism");
        return succeeded + "/1" + (parallelism > 1 ? " of " + parallelism : "");
    }

    private static String duration(Item job) {
        Instant start = job.time("status", "startTime");
        if (start == null) {
            return "";
        }
        Instant end = job.time("status", "completionTime");
        return HumanDuration.of(Duration.between(start, end == null ? job.now() : end));
    }

    private static String suspend(Item cronJob) {
        if (!cronJob.has("spec", "suspend")) {
            return Item.UNSET;
        }
        return cronJob.flag("spec", "suspend") ? "True" : "False";
    }
}
