package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Cells, defaults and rules that kinds with pod templates share (upstream:
 * {@code pkg/apis/apps/validation/validation.go}).
 */
final class WorkloadRules {
    private WorkloadRules() {}

    /** The number of ready pods, and of wanted ones. */
    static String readyOfWanted(Item workload) {
        return workload.number("status", "readyReplicas") + "/" + workload.number("spec", "replicas");
    }

    static void selectorAndTemplate(Subject spec) {
        Problems problems = spec.problems();
        JsonNode selector = Json.at(spec.value(), "selector");
        if (!selector(selector, "deployment", "invalid label selector", problems)) {
            return;
        }
        boolean matches = selector != null && (Selectors.isEmpty(selector)
                || Selectors.matches(selector, Json.at(spec.value(), "template", "metadata", "labels")));
        if (!matches) {
            mismatch(spec.value(), problems);
        }
        Strategy.check("ReplicaSetTemplate", spec.value().path("template"), null, "spec.template", problems);
    }

    /**
     * Checks a selector, which a workload must have.
     *
     * @param detail the error for a selector that cannot be evaluated
     * @return whether labels can be compared with it
     */
    static boolean selector(@Nullable JsonNode selector, String owner, String detail, Problems problems) {
        if (selector == null) {
            problems.required("spec.selector");
            return true;
        }
        Selectors.validate(selector, "spec.selector", problems);
        if (Selectors.isEmpty(selector)) {
            problems.invalid("spec.selector", Selectors.printed(selector), "empty selector is invalid for " + owner);
        }
        if (Selectors.isValid(selector)) {
            return true;
        }
        problems.invalid("spec.selector", Selectors.printed(selector), detail);
        return false;
    }

    /** Reports that the selector does not match the labels of the template. */
    static void mismatch(JsonNode spec, Problems problems) {
        problems.invalid("spec.template.metadata.labels",
                Problems.sorted(Json.at(spec, "template", "metadata", "labels")),
                "`selector` does not match template `labels`");
    }

    static void intOrPercent(Subject subject) {
        JsonNode value = subject.value();
        if (value.isString()) {
            Formats.percent(value.stringValue())
                    .forEach(message -> subject.problems().invalid(subject.path(), value, message));
        } else if (value.asLong(0) < 0) {
            subject.problems().invalid(subject.path(), value, "must be greater than or equal to 0");
        }
    }

    static void atMostAll(Subject subject) {
        if (subject.value().isString() && amount(subject.value()) > 100) {
            subject.problems().invalid(subject.path(), subject.value(), "must not be greater than 100%");
        }
    }

    /** The number, or the number in front of the percent sign; 0 for anything else. */
    static long amount(@Nullable JsonNode value) {
        if (value == null) {
            return 0;
        }
        if (!value.isString()) {
            return value.asLong(0);
        }
        String text = value.stringValue();
        if (!Formats.percent(text).isEmpty()) {
            return 0;
        }
        return text.length() > 10 ? Integer.MAX_VALUE : Long.parseLong(text.substring(0, text.length() - 1));
    }

    static void selectorStays(Subject selector) {
        if (!selector.value().equals(selector.old())) {
            JsonNode shown = selector.value().isMissingNode() ? null : selector.value();
            selector.problems().invalid(selector.path(), Selectors.printed(shown), "field is immutable");
        }
    }
}
