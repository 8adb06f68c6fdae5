package dev.wheelhouse.apiserver.schema;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of jobs and cron jobs (upstream: {@code pkg/apis/batch/validation/validation.go}). */
final class JobValidation {
    private static final int MAX_CRON_JOB_NAME = 52;

    private JobValidation() {}

    static void create(ObjectNode job, Problems problems) {
        JsonNode spec = job.path("spec");
        spec(spec, "spec", problems);
        selector(spec, problems);
        if (Json.text(spec, "completionMode").equals("Indexed") && Json.number(spec, 0, "completions") > 0) {
            String name = Json.text(job, "metadata", "name");
            String hostname = name + "-" + (Json.number(spec, 0, "completions") - 1);
            if (!Formats.dnsLabel(hostname).isEmpty()) {
                problems.invalid("metadata.name", name,
                        "will not able to create pod with invalid DNS label: " + hostname);
            }
        }
    }

    private static void selector(JsonNode spec, Problems problems) {
        JsonNode selector = Json.at(spec, "selector");
        if (selector == null) {
            if (spec.path("manualSelector").asBoolean(false)) {
                problems.required("spec.selector");
            }
            return; // the server generates it when the object gets its uid
        }
        Selectors.validate(selector, "spec.selector", problems);
        JsonNode labels = Json.at(spec, "template", "metadata", "labels");
        if (Selectors.isValid(selector) && !Selectors.matches(selector, labels)) {
            problems.invalid("spec.template.metadata.labels", Problems.sorted(labels),
                    "`selector` does not match template `labels`");
        }
    }

    static void update(ObjectNode job, ObjectNode old, Problems problems) {
        JsonNode spec = job.path("spec");
        JsonNode before = old.path("spec");
        spec(spec, "spec", problems);
        selector(spec, problems);
        boolean indexed = Json.text(spec, "completionMode").equals("Indexed");
        if (!indexed) {
            problems.immutable("spec.completions", spec.get("completions"), before.get("completions"));
        } else if (!Json.text(before, "completionMode").isEmpty()
                && Json.number(spec, 0, "completions") != Json.number(before, 0, "completions")
                && Json.number(spec, 0, "completions") != Json.number(spec, 0, "parallelism")) {
            problems.invalid("spec.completions", Json.number(spec, 0, "completions"),
                    "can only be modified in tandem with parallelism");
        }
        problems.immutable("spec.selector", Selectors.printed(spec.get("selector")),
                Selectors.printed(before.get("selector")));
        template(spec, before, problems);
        for (String field : List.of("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy",
                "successPolicy")) {
            problems.immutable("spec." + field, spec.get(field), before.get(field));
        }
    }

    /** While a job is suspended, where its pods will run may change. */
    private static void template(JsonNode spec, JsonNode before, Problems problems) {
        JsonNode now = spec.path("template");
        JsonNode then = before.path("template");
        if (before.path("suspend").asBoolean(false)) {
            now = withoutPlacement(now);
            then = withoutPlacement(then);
        }
        if (!now.equals(then)) {
            problems.invalid("spec.template", spec.get("template"), "field is immutable");
        }
    }

    private static JsonNode withoutPlacement(JsonNode template) {
        ObjectNode copy = ((ObjectNode) template).deepCopy();
        Json.child(copy, "spec").remove(List.of("nodeSelector", "tolerations", "schedulingGates", "affinity"));
        Json.child(copy, "metadata").remove(List.of("labels", "annotations"));
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : Json.child(copy, "spec").path(list)) {
                ((ObjectNode) container).remove("resources");
            }
        }
        return copy;
    }

    private static void spec(JsonNode spec, String path, Problems problems) {
        for (String field : List.of("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")) {
            problems.nonNegative(spec, path, field);
        }
        boolean perIndex = Json.at(spec, "backoffLimitPerIndex") != null;
        if (Json.at(spec, "maxFailedIndexes") != null && !perIndex) {
            problems.required(path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified");
        }
        String mode = Json.text(spec, "completionMode");
        if (mode.equals("Indexed")) {
            if (Json.at(spec, "completions") == null) {
                problems.required(path + ".completions", "when completion mode is Indexed");
            }
            long parallelism = Json.number(spec, 0, "parallelism");
            if (parallelism > 100_000) {
                problems.invalid(path + ".parallelism", parallelism,
                        "must be less than or equal to 100000 when completion mode is Indexed");
            }
        } else {
            if (!mode.isEmpty() && !mode.equals("NonIndexed")) {
                problems.notSupported(path + ".completionMode", mode, "NonIndexed", "Indexed");
            }
            for (String field : List.of("backoffLimitPerIndex", "maxFailedIndexes")) {
                if (Json.at(spec, field) != null) {
                    problems.invalid(path + "." + field, Json.number(spec, 0, field),
                            "requires indexed completion mode");
                }
            }
        }
        PodValidation.template(spec.path("template"), path + ".template", problems);
        String restart = Json.text(spec, "template", "spec", "restartPolicy");
        String at = path + ".template.spec.restartPolicy";
        if (restart.isEmpty() || restart.equals("Always")) {
            problems.required(at, "valid values: \"OnFailure\", \"Never\"");
        } else if (!restart.equals("OnFailure") && !restart.equals("Never")) {
            problems.notSupported(at, restart, "OnFailure", "Never");
        } else if (Json.at(spec, "podFailurePolicy") != null && !restart.equals("Never")) {
            problems.invalid(at, restart, "only \"Never\" is supported when podFailurePolicy is specified");
        }
    }

    static void cronJobCreate(ObjectNode cronJob, Problems problems) {
        cronJob(cronJob.path("spec"), problems);
        String name = Json.text(cronJob, "metadata", "name");
        if (name.length() > MAX_CRON_JOB_NAME) {
            problems.invalid("metadata.name", name, "must be no more than 52 characters");
        }
    }

    static void cronJob(JsonNode spec, Problems problems) {
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
        spec(spec.path("jobTemplate").path("spec"), "spec.jobTemplate.spec", problems);
        problems.nonNegative(spec, "spec", "successfulJobsHistoryLimit");
        problems.nonNegative(spec, "spec", "failedJobsHistoryLimit");
    }
}
