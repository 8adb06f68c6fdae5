package dev.wheelhouse.apiserver.kinds;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.CronSchedule;
import dev.wheelhouse.facts.TimeZones;

/** Cron jobs (upstream: {@code pkg/registry/batch/cronjob}). */
final class CronJobStrategy extends Strategy {
    private static final Pattern ZONE_PART = Pattern.compile("(?!-)[A-Za-z._0-9+-]{1,14}");

    CronJobStrategy() {
        super("batch", "CronJob", Map.of("suspend", CronJobStrategy::suspend));
    }

    private static String suspend(Item cronJob) {
        if (!cronJob.has("spec", "suspend")) {
            return Item.UNSET;
        }
        return cronJob.flag("spec", "suspend") ? "True" : "False";
    }

    /** @param allowsZone whether the stored schedule names a time zone, as those of old releases may */
    static void schedule(Subject subject) {
        String schedule = subject.text();
        Problems problems = subject.problems();
        try {
            CronSchedule.parse(schedule, ZoneOffset.UTC);
        } catch (IllegalArgumentException e) {
            problems.invalid("spec.schedule", schedule, String.valueOf(e.getMessage()));
        }
        if (schedule.contains("TZ")) {
            if (!subject.old().asString("").contains("TZ")) {
                problems.invalid("spec.schedule", schedule,
                        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            } else if (Json.at(subject.object(), "timeZone") != null) {
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

    static void timeZone(Subject zone) {
        if (!zone.value().equals(zone.old())) {
            zone.problems().invalid(zone.path(), zone.text(), timeZone(zone.text()));
        }
    }

    static void generatedSelector(Subject selector) {
        selector.problems().invalid(selector.path(), Selectors.printed(selector.value()),
                "`selector` will be auto-generated");
    }
}
