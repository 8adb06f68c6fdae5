package dev.wheelhouse.apiserver.kinds;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.facts.CronSchedule;
import dev.wheelhouse.facts.TimeZones;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Cron jobs (upstream: {@code pkg/registry/batch/cronjob}). */
final class CronJobStrategy extends Strategy {
    private static final int MAX_NAME = 52;
    private static final Pattern ZONE_PART = Pattern.compile("(?!-)[A-Za-z._0-9+-]{1,14}");

    CronJobStrategy() {
        super("batch", "CronJob", TableColumn.objectName(),
                TableColumn.of("Schedule", "Times at which jobs start, in the notation of cron.",
                        o -> o.text("spec", "schedule")),
                TableColumn.of("Timezone", "Time zone of the schedule.", o -> o.textOr(Item.NONE, "spec", "timeZone")),
                new TableColumn("Suspend", "boolean", "", "Whether no new jobs start.", 0, CronJobStrategy::suspend),
                TableColumn.integer("Active", "Number of running jobs.", o -> o.size("status", "active")),
                TableColumn.of("Last Schedule", "Time since the last start of a job.",
                        o -> o.has("status", "lastScheduleTime") ? o.since("status", "lastScheduleTime") : Item.NONE),
                TableColumn.age(),
                Containers.names("spec", "jobTemplate", "spec", "template").wide(),
                Containers.images("spec", "jobTemplate", "spec", "template").wide(),
                TableColumn.of("Selector", "Selector of the jobs' pods.",
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
        spec(cronJob.path("spec"), MissingNode.getInstance(), problems);
        String name = Json.text(cronJob, "metadata", "name");
        if (name.length() > MAX_NAME) {
            problems.invalid("metadata.name", name, "must be no more than 52 characters");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode cronJob, ObjectNode old, Problems problems) {
        spec(cronJob.path("spec"), old.path("spec"), problems);
    }

    private static void spec(JsonNode spec, JsonNode old, Problems problems) {
        String schedule = Json.text(spec, "schedule");
        if (schedule.isEmpty()) {
            problems.required("spec.schedule");
        } else {
            schedule(schedule, spec, Json.text(old, "schedule").contains("TZ"), problems);
        }
        problems.nonNegative(spec, "spec", "startingDeadlineSeconds");
        JsonNode zone = Json.at(spec, "timeZone");
        if (zone != null && !zone.equals(Json.at(old, "timeZone"))) {
            problems.invalid("spec.timeZone", zone.asString(), timeZone(zone.asString()));
        }
        problems.oneOf("spec.concurrencyPolicy", Json.text(spec, "concurrencyPolicy"), "Allow", "Forbid", "Replace");
        JsonNode job = spec.path("jobTemplate").path("spec");
        JobSpecRules.check(job, "spec.jobTemplate.spec", problems);
        if (Json.at(job, "selector") != null) {
            problems.invalid("spec.jobTemplate.spec.selector", Selectors.printed(job.get("selector")),
                    "`selector` will be auto-generated");
        }
        if (job.path("manualSelector").asBoolean(false)) {
            problems.notSupported("spec.jobTemplate.spec.manualSelector", job.get("manualSelector"), "nil", "false");
        }
        problems.nonNegative(spec, "spec", "successfulJobsHistoryLimit");
        problems.nonNegative(spec, "spec", "failedJobsHistoryLimit");
    }

    /** @param allowsZone whether the stored schedule names a time zone, as those of old releases may */
    private static void schedule(String schedule, JsonNode spec, boolean allowsZone, Problems problems) {
        try {
            CronSchedule.parse(schedule, ZoneOffset.UTC);
        } catch (IllegalArgumentException e) {
            problems.invalid("spec.schedule", schedule, String.valueOf(e.getMessage()));
        }
        if (schedule.contains("TZ")) {
            if (!allowsZone) {
                problems.invalid("spec.schedule", schedule,
                        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            } else if (Json.at(spec, "timeZone") != null) {
                problems.invalid("spec.schedule", schedule,
                        "cannot use both timeZone field and TZ or CRON_TZ in schedule");
            }
        }
    }

    private static List<String> timeZone(String name) {
        if (name.isEmpty()) {
            return List.of("timeZone must be nil or non-empty string");
        }
        for (String part : name.split("/", -1)) {
            if (part.equals(".") || part.equals("..") || !ZONE_PART.matcher(part).matches()) {
                return List.of("unknown time zone " + name);
            }
        }
        List<String> problems = new ArrayList<>();
        if (name.equalsIgnoreCase("Local")) {
            problems.add("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
        }
        try {
            TimeZones.load(name);
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return problems;
    }

    @Override
    public void warn(ObjectNode cronJob, @Nullable ObjectNode old, List<String> warnings) {
        if (old == null) {
            List<String> problems = Formats.dnsLabel(Json.text(cronJob, "metadata", "name"));
            if (!problems.isEmpty()) {
                warnings.add("metadata.name: this is used in Pod names and hostnames, which can result in surprising "
                        + "behavior; a DNS label is recommended: [" + String.join(" ", problems) + "]");
            }
        } else if (Json.text(cronJob, "spec", "schedule").contains("TZ")) {
            warnings.add("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
                    + "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
        }
    }
}
