package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.resources.DefinitionNames;
import dev.wheelhouse.apiserver.table.HumanDuration;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Jobs. By default a job selects its pods by its own UID (upstream: {@code pkg/registry/batch/job}). */
final class JobStrategy extends Strategy {
    JobStrategy() {
        super("batch", "Job", Map.of("status", JobStrategy::status, "completions", JobStrategy::completions, "duration",
                JobStrategy::duration));
    }

    /**
     * Labels the job's pods by its name and UID, and selects them by the UID. A user may have set some of these. A job
     * that has its pods' labels by default gets these labels, too.
     */
    private static void generateSelector(ObjectNode job, ObjectNode spec) {
        if (spec.path("manualSelector").asBoolean(false)) {
            return;
        }
        String uid = Json.text(job, "metadata", "uid");
        String name = Json.text(job, "metadata", "name");
        ObjectNode labels = Json.child(Json.child(Json.child(spec, "template"), "metadata"), "labels");
        for (String prefix : List.of("", "batch.kubernetes.io/")) {
            set(labels, prefix + "controller-uid", uid);
            set(labels, prefix + "job-name", name);
        }
        set(Json.child(Json.child(spec, "selector"), "matchLabels"), "batch.kubernetes.io/controller-uid", uid);
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

    /** A job without labels is read with those of its pods, the server's among them. */
    @Override
    public <T> T commit(ObjectNode job, ClusterState state, Supplier<T> write) {
        JsonNode labels = Json.at(job, "spec", "template", "metadata", "labels");
        if (labels != null && Meta.of(job).path("labels").isEmpty()) {
            Meta.of(job).set("labels", labels.deepCopy());
        }
        return write.get();
    }

    @Override
    protected void validate(ObjectNode job, Problems problems) {
        validate(job, true, problems);
    }

    private static void validate(ObjectNode job, boolean needsPrefixedLabels, Problems problems) {
        JsonNode spec = job.path("spec");
        generatedSelector(job, spec, needsPrefixedLabels, problems);
        check("JobSpec", spec, null, "spec", problems);
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

    /** The labels that the server generates must be those of this job, and its selector must select them. */
    private static void generatedSelector(ObjectNode job, JsonNode spec, boolean needsPrefixedLabels,
            Problems problems) {
        JsonNode selector = Json.at(spec, "selector");
        if (spec.path("manualSelector").asBoolean(false) || selector == null) {
            return;
        }
        ObjectNode expected = Json.object();
        for (String prefix : needsPrefixedLabels ? List.of("", "batch.kubernetes.io/") : List.of("")) {
            expected.put(prefix + "controller-uid", Json.text(job, "metadata", "uid"));
            expected.put(prefix + "job-name", Json.text(job, "metadata", "name"));
        }
        JsonNode labels = spec.path("template").path("metadata").path("labels");
        expected.properties().forEach(label -> {
            String field = Problems.key("spec.template.metadata.labels", label.getKey());
            String must = "must be '" + label.getValue().asString() + "'";
            if (!labels.has(label.getKey())) {
                problems.required(field, must);
            } else if (!labels.get(label.getKey()).equals(label.getValue())) {
                problems.invalid(field, Problems.sorted(labels), must);
            }
        });
        if (Selectors.isValid(selector) && !Selectors.matches(selector, expected)) {
            problems.invalid("spec.selector", Selectors.printed(selector), "`selector` not auto-generated");
        }
    }

    private static void selector(JsonNode spec, Problems problems) {
        JsonNode selector = Json.at(spec, "selector");
        if (selector == null) {
            problems.required("spec.selector");
        }
        Selectors.validate(selector, "spec.selector", problems);
        if (selector == null || (Selectors.isValid(selector)
                && !Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels")))) {
            WorkloadRules.mismatch(spec, problems);
        }
    }

    @Override
    protected void validateUpdate(ObjectNode job, ObjectNode old, Problems problems) {
        JsonNode spec = job.path("spec");
        JsonNode before = old.path("spec");
        JsonNode oldLabels = before.path("template").path("metadata").path("labels");
        validate(job, oldLabels.has("batch.kubernetes.io/job-name")
                && oldLabels.has("batch.kubernetes.io/controller-uid"), problems);
        boolean indexed = Json.text(spec, "completionMode").equals("Indexed");
        long completions = Json.number(spec, 0, "completions");
        if (!indexed) {
            problems.immutable("spec.completions", spec.get("completions"), before.get("completions"));
        } else if (Json.at(spec, "completions") != null && completions != Json.number(before, -1, "completions")
                && completions != Json.number(spec, 0, "parallelism")) {
            problems.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism");
        }
        problems.immutable("spec.selector", Selectors.printed(spec.get("selector")),
                Selectors.printed(before.get("selector")));
        template(spec.path("template"), before.path("template"), old, problems);
        for (String field : List.of("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy",
                "successPolicy")) {
            problems.immutable("spec." + field, spec.get(field), before.get(field));
        }
    }

    /**
     * Refuses a change of the template. While the job is suspended and has no active pods, the placement of its pods
     * and their resources may change.
     */
    private static void template(JsonNode now, JsonNode before, ObjectNode old, Problems problems) {
        boolean suspended = old.path("spec").path("suspend").asBoolean(false);
        if (suspended && (Json.at(old, "status", "startTime") == null || DefinitionNames.isTrue(old, "Suspended"))
                && Json.number(old, 0, "status", "active") == 0) {
            problems.immutable("spec.template.spec", now.get("spec"),
                    withPlacementAndResourcesOf(now, before).get("spec"));
        } else {
            problems.immutable("spec.template", now, before);
        }
    }

    private static JsonNode withPlacementAndResourcesOf(JsonNode now, JsonNode before) {
        ObjectNode copy = ((ObjectNode) before).deepCopy();
        ObjectNode spec = Json.child(copy, "spec");
        for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
            Meta.copy((ObjectNode) now.path("spec"), spec, field);
        }
        JsonNode affinity = Json.at(now, "spec", "affinity", "nodeAffinity");
        ObjectNode old = Json.child(spec, "affinity");
        old.remove("nodeAffinity");
        if (affinity != null) {
            old.set("nodeAffinity", affinity);
        }
        if (old.isEmpty() && Json.at(now, "spec", "affinity") == null) {
            spec.remove("affinity");
        }
        for (String list : List.of("containers", "initContainers")) {
            JsonNode containers = now.path("spec").path(list);
            for (int i = 0; containers.size() == spec.path(list).size() && i < containers.size(); i++) {
                if (containers.get(i).path("name").equals(spec.path(list).get(i).path("name"))) {
                    Meta.copy((ObjectNode) containers.get(i), (ObjectNode) spec.path(list).get(i), "resources");
                }
            }
        }
        return copy;
    }

    @Override
    public String deletionWarning() {
        return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
                + "to remove them or set propagationPolicy=Orphan to suppress this warning";
    }

}
