package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * The rules of a job's specification, which may be a part of a CronJob (upstream: {@code validateJobSpec} in
 * {@code pkg/apis/batch/validation/validation.go}).
 */
final class JobSpecRules {
    private static final int MOST_EXIT_CODES = 255;

    private JobSpecRules() {}

    private static void successRule(JsonNode rule, String at, long completions, Problems problems) {
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

    private static void exitCodes(Subject subject) {
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

    static void addChecks(Map<String, Check> checks) {
        checks.put("exitCodes", JobSpecRules::exitCodes);
        checks.put("successRule", s -> successRule(s.value(), s.path(), Json.number(s.root(), 0, "completions"),
                s.problems()));
    }
}
