package dev.wheelhouse.apiserver.kinds;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * The rules of a job's status and of its transitions (upstream: {@code validateJobStatus} and
 * {@code ValidateJobStatusUpdate} in {@code pkg/apis/batch/validation/validation.go}, with the options of
 * {@code pkg/registry/batch/job/strategy.go}). Most rules apply only if the fields they are about have changed, so that
 * a job that breaks one can still be written.
 */
final class JobStatusRules {
    private final ObjectNode job;
    private final ObjectNode old;
    private final JsonNode spec;
    private final JsonNode status;
    private final Problems problems;

    private JobStatusRules(ObjectNode job, ObjectNode old, Problems problems) {
        this.job = job;
        this.old = old;
        this.spec = job.path("spec");
        this.status = job.path("status");
        this.problems = problems;
    }

    static void check(ObjectNode job, ObjectNode old, Problems problems) {
        JobStatusRules rules = new JobStatusRules(job, old, problems);
        rules.counters();
        rules.uncounted();
        rules.ends();
        rules.indexes();
        rules.successCriteria();
        rules.transitions();
    }

    /** Whether the job has a condition that is true. */
    static boolean isTrue(JsonNode job, String type) {
        return has(job, type, "True");
    }

    private static boolean has(JsonNode job, String type, String value) {
        for (JsonNode condition : job.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals(type) && Json.text(condition, "status").equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFinished(JsonNode job) {
        return isTrue(job, "Complete") || isTrue(job, "Failed");
    }

    private boolean is(String condition) {
        return isTrue(job, condition);
    }

    private boolean turns(String condition) {
        return isTrue(job, condition) != isTrue(old, condition);
    }

    private boolean changes(String field) {
        return !Objects.equals(Json.at(status, field), Json.at(old, "status", field));
    }

    private long number(String field) {
        return Json.number(status, 0, field);
    }

    private void counters() {
        for (String field : List.of("active", "succeeded", "failed", "ready", "terminating")) {
            problems.nonNegative(status, "status", field);
        }
    }

    private void uncounted() {
        Set<String> seen = new HashSet<>();
        for (String list : List.of("succeeded", "failed")) {
            Problems.each(status.path("uncountedTerminatedPods"), "status.uncountedTerminatedPods", list,
                    (uid, at) -> {
                        if (uid.asString().isEmpty()) {
                            problems.invalid(at, "", "must not be empty");
                        } else if (!seen.add(uid.asString())) {
                            problems.duplicate(at, uid.toString());
                        }
                    });
        }
    }

    /** The conditions by which a job ends, and what must hold then. */
    private void ends() {
        boolean complete = is("Complete");
        boolean completes = turns("Complete");
        boolean finished = isFinished(job);
        boolean finishes = finished != isFinished(old);
        JsonNode completion = Json.at(status, "completionTime");
        if ((completes || turns("Failed")) && complete && is("Failed")) {
            conditions("cannot set Complete=True and Failed=true conditions");
        }
        if ((completes || turns("FailureTarget")) && complete && is("FailureTarget")) {
            conditions("cannot set Complete=True and FailureTarget=true conditions");
        }
        if (completes || changes("completionTime")) {
            if (completion != null && !complete) {
                problems.invalid("status.completionTime", completion,
                        "cannot set completionTime when there is no Complete=True condition");
            }
            if (completion == null && complete) {
                problems.required("status.completionTime", "completionTime is required for Complete jobs");
            }
        }
        if ((changes("startTime") || changes("completionTime")) && endsBeforeItStarts()) {
            problems.invalid("status.completionTime", completion, "must be equal to or after `startTime`");
        }
        if ((turns("Failed") || changes("failedIndexes")) && is("Failed") && !is("FailureTarget")) {
            conditions("cannot set Failed=True condition without the FailureTarget=true condition");
        }
        if ((completes || turns("SuccessCriteriaMet")) && complete && !is("SuccessCriteriaMet")) {
            conditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
        }
        if ((finishes || changes("active")) && finished && number("active") > 0) {
            problems.invalid("status.active", number("active"), "active>0 is invalid for finished job");
        }
        boolean neverStarted = spec.path("suspend").asBoolean(false) && Json.number(spec, -1, "completions") == 0;
        if ((finishes || changes("startTime")) && !neverStarted && finished && Json.at(status, "startTime") == null) {
            problems.required("status.startTime", "startTime is required for finished job");
        }
        JsonNode uncounted = status.path("uncountedTerminatedPods");
        if ((finishes || changes("uncountedTerminatedPods")) && finished
                && uncounted.path("succeeded").size() + uncounted.path("failed").size() > 0) {
            problems.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job");
        }
    }

    private boolean endsBeforeItStarts() {
        Instant start = time("startTime");
        Instant end = time("completionTime");
        return start != null && end != null && end.isBefore(start);
    }

    private @Nullable Instant time(String field) {
        try {
            return Json.at(status, field) == null ? null : Instant.parse(Json.text(status, field));
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private void indexes() {
        String completed = Json.text(status, "completedIndexes");
        String failed = Json.text(status, "failedIndexes");
        boolean failedIsSet = Json.at(status, "failedIndexes") != null;
        boolean completedChanges = changes("completedIndexes");
        boolean failedChanges = changes("failedIndexes");
        boolean perIndex = Json.at(spec, "backoffLimitPerIndex") != null;
        boolean hasCompletions = Json.at(spec, "completions") != null;
        if (completedChanges && hasCompletions) {
            format("completedIndexes", completed);
        }
        if (failedChanges && hasCompletions && perIndex && failedIsSet) {
            format("failedIndexes", failed);
        }
        if (completedChanges && !completed.isEmpty() && !Json.text(spec, "completionMode").equals("Indexed")) {
            problems.invalid("status.completedIndexes", completed,
                    "cannot set non-empty completedIndexes when non-indexed completion mode");
        }
        if (failedChanges && failedIsSet && !perIndex) {
            problems.invalid("status.failedIndexes", failed,
                    "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
        }
        if ((completedChanges || failedChanges) && hasCompletions) {
            try {
                IndexFormat.disjoint(completed, failed, Json.number(spec, 0, "completions"));
            } catch (IllegalArgumentException e) {
                problems.invalid("status.failedIndexes", failed, String.valueOf(e.getMessage()));
            }
        }
    }

    private void format(String field, String indexes) {
        try {
            IndexFormat.total(indexes, Json.number(spec, 0, "completions"));
        } catch (IllegalArgumentException e) {
            problems.invalid("status." + field, indexes, "error parsing " + field + ": " + e.getMessage());
        }
    }

    private void successCriteria() {
        boolean finished = isFinished(job);
        if ((finished != isFinished(old) || changes("terminating")) && finished && number("terminating") > 0) {
            problems.invalid("status.terminating", number("terminating"), "terminating>0 is invalid for finished job");
        }
        if ((changes("ready") || changes("active")) && Json.at(status, "ready") != null
                && number("ready") > number("active")) {
            problems.invalid("status.ready", number("ready"), "cannot set more ready pods than active");
        }
        if (is("SuccessCriteriaMet") && is("Failed")) {
            conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions");
        }
        if (is("SuccessCriteriaMet") && is("FailureTarget")) {
            conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
        }
        if (Json.at(spec, "successPolicy") != null && !is("SuccessCriteriaMet") && is("Complete")) {
            conditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
        }
    }

    private void transitions() {
        for (String condition : List.of("Failed", "Complete", "FailureTarget")) {
            if (isTrue(old, condition) && !is(condition)) {
                conditions("cannot disable the terminal " + condition + "=True condition");
            }
        }
        notDecreasing("failed");
        boolean resized = Json.text(spec, "completionMode").equals("Indexed")
                && Objects.equals(Json.at(spec, "completions"), Json.at(spec, "parallelism"));
        if (!resized) {
            notDecreasing("succeeded");
        }
        JsonNode completion = Json.at(status, "completionTime");
        if (completion != null && Json.at(old, "status", "completionTime") != null && changes("completionTime")) {
            problems.invalid("status.completionTime", completion, "field is immutable");
        }
        boolean resumes = isTrue(old, "Suspended") && has(job, "Suspended", "False");
        if (Json.at(old, "status", "startTime") != null && changes("startTime") && !resumes
                && !spec.path("suspend").asBoolean(false)) {
            problems.invalid("status.startTime", Json.at(status, "startTime"),
                    "field is immutable for unsuspended job once set");
        }
        if (isTrue(old, "SuccessCriteriaMet") && !is("SuccessCriteriaMet")) {
            conditions("cannot disable the SuccessCriteriaMet=True condition");
        }
        if (isTrue(old, "Complete") && !isTrue(old, "SuccessCriteriaMet") && is("SuccessCriteriaMet")) {
            conditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
        }
    }

    private void notDecreasing(String counter) {
        if (number(counter) < Json.number(old, 0, "status", counter)) {
            problems.invalid("status." + counter, number(counter), "cannot decrease the " + counter + " counter");
        }
    }

    private void conditions(String problem) {
        problems.omitted("status.conditions", problem);
    }
}
