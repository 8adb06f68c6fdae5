package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.HumanDuration;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/** Jobs. By default a job selects its pods by its own UID (upstream: {@code pkg/registry/batch/job}). */
final class JobStrategy extends Strategy {
    JobStrategy() {
        super("batch", "Job", Set.of(Trait.ORPHANS_DEPENDENTS), Column.objectName(),
                Column.of("Status", "State of the job.", JobStrategy::status),
                Column.of("Completions", "Number of pods that have succeeded, and the number that must.",
                        JobStrategy::completions),
                Column.of("Duration", "Time from the start to the end, or to now.", JobStrategy::duration),
                Column.age(), Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide(),
                Column.of("Selector", "Selector of the job's pods.", o -> o.selector("spec", "selector")).wide());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.batch.v1.Job", JobStrategy::fillIn);
        rules.put("io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", p -> set(p, "status", "True"));
    }

    private static void fillIn(ObjectNode job) {
        ObjectNode spec = Json.child(job, "spec");
        if (Json.at(spec, "completions") == null && Json.at(spec, "parallelism") == null) {
            spec.put("completions", 1);
        }
        set(spec, "parallelism", 1);
        set(spec, "backoffLimit", Json.at(spec, "backoffLimitPerIndex") == null ? 6 : Integer.MAX_VALUE);
        if (Json.at(spec, "template", "metadata", "labels") instanceof ObjectNode labels && !labels.isEmpty()) {
            WorkloadRules.labelAs(job, labels);
        }
        set(spec, "completionMode", "NonIndexed");
        set(spec, "suspend", false);
        set(spec, "podReplacementPolicy",
                Json.at(spec, "podFailurePolicy") == null ? "TerminatingOrFailed" : "Failed");
        set(spec, "manualSelector", false);
        generateSelector(job, spec);
    }

    /** Puts the job's UID, if it has one, into the labels of its pods and into its selector. */
    private static void generateSelector(ObjectNode job, ObjectNode spec) {
        String uid = Json.text(job, "metadata", "uid");
        if (uid.isEmpty() || spec.path("manualSelector").asBoolean(false) || Json.at(spec, "selector") != null) {
            return;
        }
        ObjectNode labels = Json.child(Json.child(Json.child(spec, "template"), "metadata"), "labels");
        String name = Json.text(job, "metadata", "name");
        set(labels, "controller-uid", uid);
        set(labels, "batch.kubernetes.io/controller-uid", uid);
        set(labels, "job-name", name);
        set(labels, "batch.kubernetes.io/job-name", name);
        spec.putObject("selector").putObject("matchLabels").put("batch.kubernetes.io/controller-uid", uid);
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

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        Meta.of(object).put("uid", state.ids().uid());
        generateSelector(object, Json.child(object, "spec"));
    }

    @Override
    protected void validate(ObjectNode job, Problems problems) {
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
            return; // generated from the UID
        }
        Selectors.validate(selector, "spec.selector", problems);
        if (Selectors.isValid(selector)
                && !Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec, problems);
        }
    }

    @Override
    protected void validateUpdate(ObjectNode job, ObjectNode old, Problems problems) {
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

    /** Refuses a change of the template, except for the placement and resources of pods while the job is suspended. */
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

    /** The rules of a job's specification, which may be a part of a CronJob. */
    static void spec(JsonNode spec, String path, Problems problems) {
        for (String field : List.of("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")) {
            problems.nonNegative(spec, path, field);
        }
        failurePolicy(spec, path, problems);
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

    private static void failurePolicy(JsonNode spec, String path, Problems problems) {
        Set<String> containers = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            spec.path("template").path("spec").path(list)
                    .forEach(container -> containers.add(Json.text(container, "name")));
        }
        int i = 0;
        for (JsonNode rule : spec.path("podFailurePolicy").path("rules")) {
            String at = Problems.at(path + ".podFailurePolicy.rules", i++);
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
        }
    }

    private static void conditions(JsonNode conditions, String path, Problems problems) {
        int i = 0;
        for (JsonNode condition : conditions) {
            String at = Problems.at(path, i++);
            String type = Json.text(condition, "type");
            problems.invalid(at + ".type", type, Formats.qualifiedName(type));
            String status = Json.text(condition, "status");
            if (status.isEmpty()) {
                problems.required(at + ".status", "valid values: [\"False\" \"True\" \"Unknown\"]");
            } else if (!List.of("False", "True", "Unknown").contains(status)) {
                problems.notSupported(at + ".status", status, "False", "True", "Unknown");
            }
        }
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
            if (!seen.add(value)) {
                problems.duplicate(field, Long.toString(value));
            }
            ordered &= value >= before;
            before = value;
        }
        if (!ordered) {
            problems.invalid(at + ".values", values, "must be ordered");
        }
    }

    @Override
    public String deletionWarning() {
        return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
                + "to remove them or set propagationPolicy=Orphan to suppress this warning";
    }
}
