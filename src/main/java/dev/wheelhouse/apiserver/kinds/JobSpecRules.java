package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * The rules of a job's specification, which may be a part of a CronJob (upstream: {@code validateJobSpec} in
 * {@code pkg/apis/batch/validation/validation.go}).
 */
final class JobSpecRules {
    private static final int MOST_INDEXES = 100_000;
    private static final int MOST_OF_MANY_INDEXES = 10_000;
    private static final int MOST_RULES = 20;
    private static final int MOST_EXIT_CODES = 255;
    private static final int LONGEST_MANAGER = 63;

    private JobSpecRules() {}

    /** @param path the path of the specification */
    static void check(JsonNode spec, String path, Problems problems) {
        for (String field : List.of("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")) {
            problems.nonNegative(spec, path, field);
        }
        boolean perIndex = Json.at(spec, "backoffLimitPerIndex") != null;
        if (Json.at(spec, "maxFailedIndexes") != null && !perIndex) {
            problems.required(path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified");
        }
        if (Json.at(spec, "managedBy") != null) {
            String manager = Json.text(spec, "managedBy");
            problems.domainPrefixed(path + ".managedBy", manager);
            if (manager.length() > LONGEST_MANAGER) {
                problems.tooLong(path + ".managedBy", LONGEST_MANAGER);
            }
        }
        completionMode(spec, path, perIndex, problems);
        failurePolicy(spec, path, problems);
        successPolicy(spec, path, problems);
        String replacement = Json.text(spec, "podReplacementPolicy");
        if (Json.at(spec, "podFailurePolicy") != null) {
            problems.oneOfIfSet(path + ".podReplacementPolicy", replacement, "Failed");
        } else {
            problems.oneOfIfSet(path + ".podReplacementPolicy", replacement, "Failed", "TerminatingOrFailed");
        }
        PodValidation.template(spec.path("template"), path + ".template", problems);
        restartPolicy(spec, path + ".template.spec.restartPolicy", problems);
    }

    private static void completionMode(JsonNode spec, String path, boolean perIndex, Problems problems) {
        String mode = Json.text(spec, "completionMode");
        if (mode.equals("Indexed")) {
            indexed(spec, path, perIndex, problems);
            return;
        }
        problems.oneOfIfSet(path + ".completionMode", mode, "NonIndexed", "Indexed");
        for (String field : mode.isEmpty() || mode.equals("NonIndexed")
                ? List.of("backoffLimitPerIndex", "maxFailedIndexes")
                : List.<String>of()) {
            if (Json.at(spec, field) != null) {
                problems.invalid(path + "." + field, Json.number(spec, 0, field), "requires indexed completion mode");
            }
        }
    }

    private static void indexed(JsonNode spec, String path, boolean perIndex, Problems problems) {
        long parallelism = Json.number(spec, 0, "parallelism");
        long completions = Json.number(spec, Long.MAX_VALUE, "completions");
        long mostFailed = Json.number(spec, 0, "maxFailedIndexes");
        if (Json.at(spec, "completions") == null) {
            problems.required(path + ".completions", "when completion mode is Indexed");
        }
        if (parallelism > MOST_INDEXES) {
            problems.invalid(path + ".parallelism", parallelism,
                    "must be less than or equal to " + MOST_INDEXES + " when completion mode is Indexed");
        }
        if (mostFailed > completions) {
            problems.invalid(path + ".maxFailedIndexes", mostFailed, "must be less than or equal to completions");
        }
        if (mostFailed > MOST_INDEXES) {
            problems.invalid(path + ".maxFailedIndexes", mostFailed, "must be less than or equal to " + MOST_INDEXES);
        }
        if (!perIndex || Json.number(spec, 0, "completions") <= MOST_INDEXES) {
            return;
        }
        String many = "must be less than or equal to " + MOST_OF_MANY_INDEXES + " when completions are above "
                + MOST_INDEXES + " and used with backoff limit per index";
        if (Json.at(spec, "maxFailedIndexes") == null) {
            problems.required(path + ".maxFailedIndexes",
                    "must be specified when completions is above " + MOST_INDEXES);
        }
        if (parallelism > MOST_OF_MANY_INDEXES) {
            problems.invalid(path + ".parallelism", parallelism, many);
        }
        if (mostFailed > MOST_OF_MANY_INDEXES) {
            problems.invalid(path + ".maxFailedIndexes", mostFailed, many);
        }
    }

    private static void restartPolicy(JsonNode spec, String at, Problems problems) {
        String restart = Json.text(spec, "template", "spec", "restartPolicy");
        if (restart.isEmpty() || restart.equals("Always")) {
            problems.required(at, "valid values: \"OnFailure\", \"Never\"");
        } else if (!restart.equals("OnFailure") && !restart.equals("Never")) {
            problems.notSupported(at, restart, "OnFailure", "Never");
        } else if (Json.at(spec, "podFailurePolicy") != null && !restart.equals("Never")) {
            problems.invalid(at, restart, "only \"Never\" is supported when podFailurePolicy is specified");
        }
    }

    private static void successPolicy(JsonNode spec, String path, Problems problems) {
        JsonNode policy = Json.at(spec, "successPolicy");
        String at = path + ".successPolicy";
        if (policy == null) {
            return;
        }
        if (!Json.text(spec, "completionMode").equals("Indexed")) {
            problems.invalid(at, policy, "requires indexed completion mode");
            return;
        }
        JsonNode rules = policy.path("rules");
        if (rules.isEmpty()) {
            problems.required(at + ".rules",
                    "at least one rules must be specified when the successPolicy is specified");
        }
        mostRules(rules, at + ".rules", problems);
        long completions = Json.number(spec, 0, "completions");
        Problems.each(rules, at + ".rules", (rule, place) -> successRule(rule, place, completions, problems));
    }

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

    private static void mostRules(JsonNode rules, String at, Problems problems) {
        if (rules.size() > MOST_RULES) {
            problems.tooMany(at, rules.size(), MOST_RULES);
        }
    }

    private static void failurePolicy(JsonNode spec, String path, Problems problems) {
        Set<String> containers = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            spec.path("template").path("spec").path(list)
                    .forEach(container -> containers.add(Json.text(container, "name")));
        }
        JsonNode rules = spec.path("podFailurePolicy").path("rules");
        mostRules(rules, path + ".podFailurePolicy.rules", problems);
        Problems.each(rules, path + ".podFailurePolicy.rules", (rule, at) -> {
            String action = Json.text(rule, "action");
            if (action.isEmpty()) {
                problems.required(at + ".action",
                        "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
            } else if (action.equals("FailIndex")) {
                if (Json.at(spec, "backoffLimitPerIndex") == null) {
                    problems.invalid(at + ".action", action, "requires the backoffLimitPerIndex to be set");
                }
            } else if (!List.of("Count", "FailJob", "Ignore").contains(action)) {
                problems.notSupported(at + ".action", action, "Count", "FailIndex", "FailJob", "Ignore");
            }
            JsonNode codes = rule.get("onExitCodes");
            JsonNode conditions = rule.path("onPodConditions");
            if (codes != null) {
                exitCodes(codes, at + ".onExitCodes", containers, problems);
            }
            conditions(conditions, at + ".onPodConditions", problems);
            if (codes != null && !conditions.isEmpty()) {
                problems.omitted(at, "specifying both OnExitCodes and OnPodConditions is not supported");
            } else if (codes == null && conditions.isEmpty()) {
                problems.omitted(at, "specifying one of OnExitCodes and OnPodConditions is required");
            }
        });
    }

    private static void conditions(JsonNode conditions, String path, Problems problems) {
        mostRules(conditions, path, problems);
        Problems.each(conditions, path, (condition, at) -> {
            String type = Json.text(condition, "type");
            problems.invalid(at + ".type", type, Formats.qualifiedName(type));
            String status = Json.text(condition, "status");
            if (status.isEmpty()) {
                problems.required(at + ".status", "valid values: [\"False\" \"True\" \"Unknown\"]");
            } else if (!List.of("False", "True", "Unknown").contains(status)) {
                problems.notSupported(at + ".status", status, "False", "True", "Unknown");
            }
        });
    }

    private static void exitCodes(JsonNode codes, String at, Set<String> containers, Problems problems) {
        String operator = Json.text(codes, "operator");
        if (operator.isEmpty()) {
            problems.required(at + ".operator", "valid values: [\"In\" \"NotIn\"]");
        } else if (!operator.equals("In") && !operator.equals("NotIn")) {
            problems.notSupported(at + ".operator", operator, "In", "NotIn");
        }
        String container = Json.text(codes, "containerName");
        if (codes.has("containerName") && !containers.contains(container)) {
            problems.invalid(at + ".containerName", container,
                    "must be one of the container or initContainer names in the pod template");
        }
        JsonNode values = codes.path("values");
        if (values.isEmpty()) {
            problems.invalid(at + ".values", codes.get("values"), "at least one value is required");
        } else if (values.size() > MOST_EXIT_CODES) {
            problems.tooMany(at + ".values", values.size(), MOST_EXIT_CODES);
        }
        Set<Long> seen = new HashSet<>();
        boolean ordered = true;
        long before = Long.MIN_VALUE;
        int i = 0;
        for (JsonNode node : values) {
            String field = Problems.at(at + ".values", i++);
            long value = node.asLong(0);
            if (operator.equals("In") && value == 0) {
                problems.invalid(field, value, "must not be 0 for the In operator");
            }
            problems.unique(seen, value, field, Long.toString(value));
            ordered &= value >= before;
            before = value;
        }
        if (!ordered) {
            problems.invalid(at + ".values", values, "must be ordered");
        }
    }
}
