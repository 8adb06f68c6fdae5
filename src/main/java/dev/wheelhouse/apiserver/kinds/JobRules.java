package dev.wheelhouse.apiserver.kinds;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * The rules of jobs that compute: of the specification, which may be a part of a CronJob, and of the status (upstream:
 * {@code validateJobSpec} and {@code ValidateJobStatusUpdate} in {@code pkg/apis/batch/validation/validation.go}). Most
 * rules of a status hold only if the fields that they are about have changed, so that a job that breaks one can still
 * be written.
 */
final class JobRules {
    private static final int MOST_EXIT_CODES = 255;

    private JobRules() {}

    static void successRule(Subject subject) {
        JsonNode rule = subject.value();
        String at = subject.path();
        long completions = Json.number(subject.root(), 0, "completions");
        Problems problems = subject.problems();
        JsonNode indexes = Json.at(rule, "succeededIndexes");
        if (indexes == null && Json.at(rule, "succeededCount") == null) {
            problems.required(at, "at least one of succeededCount or succeededIndexes must be specified");
        }
        long total = Long.MAX_VALUE;
        if (indexes != null) {
            String text = indexes.asString();
            total = 0;
            if (text.length() > IndexFormat.LONGEST_RULE) {
                problems.tooLong(at + ".succeededIndexes", IndexFormat.LONGEST_RULE);
            }
            try {
                total = IndexFormat.total(text, completions);
            } catch (IllegalArgumentException e) {
                problems.invalid(at + ".succeededIndexes", text, "error parsing succeededIndexes: " + e.getMessage());
            }
        }
        problems.nonNegative(rule, at, "succeededCount");
        long count = Json.number(rule, 0, "succeededCount");
        if (count > completions) {
            problems.invalid(at + ".succeededCount", count,
                    "must be less than or equal to " + completions + " (the number of specified completions)");
        }
        if (count > total) {
            problems.invalid(at + ".succeededCount", count, "must be less than or equal to " + total
                    + " (the number of indexes in the specified succeededIndexes field)");
        }
    }

    static void exitCodes(Subject subject) {
        JsonNode values = subject.value();
        boolean in = Json.text(subject.object(), "operator").equals("In");
        Problems problems = subject.problems();
        if (values.isEmpty()) {
            problems.invalid(subject.path(), values.isMissingNode() ? null : values, "at least one value is required");
        } else if (values.size() > MOST_EXIT_CODES) {
            problems.tooMany(subject.path(), values.size(), MOST_EXIT_CODES);
        }
        Set<Long> seen = new HashSet<>();
        boolean ordered = true;
        long before = Long.MIN_VALUE;
        int i = 0;
        for (JsonNode node : values) {
            String field = Problems.at(subject.path(), i++);
            long value = node.asLong(0);
            if (in && value == 0) {
                problems.invalid(field, value, "must not be 0 for the In operator");
            }
            problems.unique(seen, value, field, Long.toString(value));
            ordered &= value >= before;
            before = value;
        }
        if (!ordered) {
            problems.invalid(subject.path(), values, "must be ordered");
        }
    }

    static void notBeforeStart(Subject completionTime) {
        try {
            if (Instant.parse(completionTime.text())
                    .isBefore(Instant.parse(Json.text(completionTime.object(), "startTime")))) {
                completionTime.problems().invalid(completionTime.path(), completionTime.text(),
                        "must be equal to or after `startTime`");
            }
        } catch (DateTimeParseException e) {
            // There is no start, or the decoder has refused one of the times.
        }
    }

    static void indexes(Subject indexes) {
        try {
            IndexFormat.total(indexes.text(), Json.number(indexes.root(), 0, "spec", "completions"));
        } catch (IllegalArgumentException e) {
            String field = indexes.path().substring("status.".length());
            indexes.problems().invalid(indexes.path(), indexes.text(),
                    "error parsing " + field + ": " + e.getMessage());
        }
    }

    static void disjoint(Subject failed) {
        try {
            IndexFormat.disjoint(Json.text(failed.object(), "completedIndexes"), failed.text(),
                    Json.number(failed.root(), 0, "spec", "completions"));
        } catch (IllegalArgumentException e) {
            failed.problems().invalid(failed.path(), failed.text(), String.valueOf(e.getMessage()));
        }
    }

    /** An indexed job whose completions follow its parallelism may become smaller. */
    static void growsUnlessResized(Subject succeeded) {
        JsonNode spec = succeeded.root().path("spec");
        if (!Objects.equals(Json.at(spec, "completions"), Json.at(spec, "parallelism"))
                && succeeded.number() < succeeded.old().asLong(0)) {
            succeeded.problems().invalid(succeeded.path(), succeeded.number(),
                    "cannot decrease the succeeded counter");
        }
    }

}
