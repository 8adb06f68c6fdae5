package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;

/**
 * Columns, defaults and rules that kinds with pod templates share (upstream:
 * {@code pkg/apis/apps/validation/validation.go}).
 */
final class WorkloadRules {
    /** The column with the ready pods of the wanted ones. */
    static final TableColumn READY = TableColumn.of("Ready", "Number of ready pods, and of wanted ones.",
            o -> o.number("status", "readyReplicas") + "/" + o.number("spec", "replicas"));

    private WorkloadRules() {}

    /** A column with a counter of the status. */
    static TableColumn status(String name, String description, String field) {
        return TableColumn.integer(name, description, o -> o.number("status", field));
    }

    /** The columns of a kind whose pods are all replicas of one template. */
    static TableColumn[] replicaColumns(TableColumn selector) {
        return new TableColumn[]{TableColumn.objectName(),
                TableColumn.integer("Desired", "Number of wanted pods.", o -> o.number("spec", "replicas")),
                status("Current", "Number of pods.", "replicas"),
                status("Ready", "Number of ready pods.", "readyReplicas"),
                TableColumn.age(), Containers.names("spec", "template").wide(),
                Containers.images("spec", "template").wide(),
                selector.wide()};
    }

    /** Gives an object without labels those of its pod template. */
    static void labelAs(ObjectNode object, ObjectNode templateLabels) {
        ObjectNode metadata = Json.child(object, "metadata");
        if (isEmpty(metadata, "labels")) {
            metadata.set("labels", templateLabels.deepCopy());
        }
    }

    /** The selector and template of Deployments and ReplicaSets. Upstream's errors do not tell the two apart. */
    static void selectorAndTemplate(JsonNode spec, Problems problems) {
        JsonNode selector = Json.at(spec, "selector");
        if (!selector(selector, "deployment", "invalid label selector", problems)) {
            return;
        }
        boolean matches = selector != null && (Selectors.isEmpty(selector)
                || Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels")));
        if (!matches) {
            mismatch(spec, problems);
        }
        PodValidation.template(spec.path("template"), "spec.template", problems);
        restartsAlways(spec, "ReplicaSet", problems);
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

    /** Refuses templates whose pods end. The error names the kind as upstream does. */
    static void restartsAlways(JsonNode spec, String kind, Problems problems) {
        String policy = Json.text(spec, "template", "spec", "restartPolicy");
        problems.supported("spec.template.spec.restartPolicy", policy, "Always");
        if (Json.at(spec, "template", "spec", "activeDeadlineSeconds") != null) {
            problems.forbidden("spec.template.spec.activeDeadlineSeconds",
                    "activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    /** Checks a number, or a percentage such as {@code 25%}. */
    static void intOrPercent(@Nullable JsonNode value, String path, Problems problems) {
        if (value == null) {
            return;
        }
        if (value.isString()) {
            Formats.percent(value.stringValue()).forEach(message -> problems.invalid(path, value, message));
        } else if (value.asLong(0) < 0) {
            problems.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    /** Refuses more than 100%. */
    static void atMostAll(@Nullable JsonNode value, String path, Problems problems) {
        if (value != null && value.isString() && amount(value) > 100) {
            problems.invalid(path, value, "must not be greater than 100%");
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

    /** Refuses a change of the selector. */
    static void selectorStays(ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode now = object.path("spec").get("selector");
        JsonNode before = old.path("spec").get("selector");
        if (now == null ? before != null : !now.equals(before)) {
            problems.invalid("spec.selector", Selectors.printed(now), "field is immutable");
        }
    }

    /** The status of a kind whose pods are all replicas of one template. */
    static void replicaStatus(JsonNode status, Problems problems) {
        countsAreNonNegative(status, problems, "replicas", "fullyLabeledReplicas", "readyReplicas",
                "availableReplicas", "observedGeneration", "terminatingReplicas");
        notMoreThanReplicas(status, problems, "fullyLabeledReplicas", "readyReplicas", "availableReplicas");
    }

    /** Refuses negative numbers in fields of the status. */
    static void countsAreNonNegative(JsonNode status, Problems problems, String... fields) {
        for (String field : fields) {
            problems.nonNegative(status, "status", field);
        }
    }

    /** Refuses more pods of a state than there are replicas, and more available ones than ready ones. */
    static void notMoreThanReplicas(JsonNode status, Problems problems, String... fields) {
        notMoreThanReplicas(status, "readyReplicas", problems, fields);
    }

    /** @param ready the name of the field of ready replicas in the error, which differs between kinds */
    static void notMoreThanReplicas(JsonNode status, String ready, Problems problems, String... fields) {
        long replicas = Json.number(status, 0, "replicas");
        for (String field : fields) {
            long value = Json.number(status, 0, field);
            if (value > replicas) {
                problems.invalid("status." + field, value, "cannot be greater than status.replicas");
            }
        }
        long available = Json.number(status, 0, "availableReplicas");
        if (available > Json.number(status, 0, "readyReplicas")) {
            problems.invalid("status.availableReplicas", available, "cannot be greater than " + ready);
        }
    }

    /** Refuses a smaller count of hash collisions. */
    static void collisionsGrow(JsonNode status, ObjectNode old, Problems problems) {
        long count = Json.number(status, 0, "collisionCount");
        if (count < Json.number(old, 0, "status", "collisionCount")) {
            problems.invalid("status.collisionCount", count, "cannot be decremented");
        }
    }
}
