package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.amount;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.atMostAll;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.intOrPercent;

/** Daemon sets (upstream: {@code pkg/registry/apps/daemonset}). */
final class DaemonSetStrategy extends Strategy {
    /** The annotation with the number of the template. Only the server counts it. */
    private static final String TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

    DaemonSetStrategy() {
        super("apps", "DaemonSet", TableColumn.objectName(),
                WorkloadRules.status("Desired", "Number of nodes that should run the pod.", "desiredNumberScheduled"),
                WorkloadRules.status("Current", "Number of those nodes that run the pod.", "currentNumberScheduled"),
                WorkloadRules.status("Ready", "Number of those nodes that run a ready pod.", "numberReady"),
                WorkloadRules.status("Up-to-date", "Number of nodes that run a pod of the newest template.",
                        "updatedNumberScheduled"),
                WorkloadRules.status("Available", "Number of nodes whose pod has been ready for long enough.",
                        "numberAvailable"),
                TableColumn.of("Node Selector", "Labels that a node must have to get the pod.",
                        o -> o.labels("spec", "template", "spec", "nodeSelector")),
                TableColumn.age(), Containers.names("spec", "template").wide(),
                Containers.images("spec", "template").wide(),
                TableColumn.of("Selector", "Selector of the DaemonSet's pods.", o -> o.selector("spec", "selector"))
                        .wide());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.DaemonSet", daemonSet -> set(annotations(daemonSet), TEMPLATE_GENERATION, "0"));
        rules.put("io.k8s.api.apps.v1.DaemonSetSpec", DaemonSetStrategy::fillIn);
    }

    private static ObjectNode annotations(ObjectNode daemonSet) {
        return Json.child(Json.child(daemonSet, "metadata"), "annotations");
    }

    @Override
    protected void create(ObjectNode daemonSet, User writer, ClusterState state) {
        annotations(daemonSet).put(TEMPLATE_GENERATION, Long.toString(Math.max(1, templateGeneration(daemonSet))));
    }

    @Override
    protected void update(ObjectNode daemonSet, ObjectNode old, ClusterState state) {
        boolean sameTemplate = daemonSet.at("/spec/template").equals(old.at("/spec/template"));
        annotations(daemonSet).put(TEMPLATE_GENERATION,
                Long.toString(templateGeneration(old) + (sameTemplate ? 0 : 1)));
    }

    @Override
    protected void updateStatus(ObjectNode daemonSet, ObjectNode old, ClusterState state) {
        annotations(daemonSet).put(TEMPLATE_GENERATION, Long.toString(templateGeneration(old)));
    }

    /** The number of the template; 0 if it is missing or no number. */
    private static long templateGeneration(ObjectNode daemonSet) {
        try {
            return Long.parseLong(Json.text(daemonSet, "metadata", "annotations", TEMPLATE_GENERATION));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static void fillIn(ObjectNode spec) {
        ObjectNode strategy = Json.child(spec, "updateStrategy");
        set(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = Json.child(strategy, "rollingUpdate");
            set(rolling, "maxUnavailable", 1);
            set(rolling, "maxSurge", 0);
        }
        set(spec, "revisionHistoryLimit", 10);
    }

    @Override
    protected void validate(ObjectNode daemonSet, Problems problems) {
        JsonNode spec = daemonSet.path("spec");
        JsonNode selector = Json.at(spec, "selector");
        Selectors.validate(selector, "spec.selector", problems);
        if (selector == null || Selectors.isValid(selector)
                && !Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec, problems);
        }
        if (selector != null && Selectors.isEmpty(selector)) {
            problems.invalid("spec.selector", Selectors.printed(selector), "empty selector is invalid for daemonset");
        }
        PodValidation.template(spec.path("template"), "spec.template", problems);
        WorkloadRules.restartsAlways(spec, "DaemonSet", problems);
        problems.nonNegative(spec, "spec", "minReadySeconds");
        JsonNode strategy = spec.path("updateStrategy");
        switch (Json.text(strategy, "type")) {
            case "OnDelete" -> {
                // The type has no parameters.
            }
            case "RollingUpdate" -> rollout(strategy, problems);
            default -> problems.notSupported("spec.updateStrategy", Json.text(strategy, "type"), "RollingUpdate",
                    "OnDelete");
        }
        problems.nonNegative(spec, "spec", "revisionHistoryLimit");
    }

    private static void rollout(JsonNode strategy, Problems problems) {
        String path = "spec.updateStrategy.rollingUpdate";
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        if (rolling == null) {
            problems.required(path);
            return;
        }
        for (String field : List.of("maxUnavailable", "maxSurge")) {
            intOrPercent(rolling.get(field), path + "." + field, problems);
        }
        for (String field : List.of("maxUnavailable", "maxSurge")) {
            atMostAll(rolling.get(field), path + "." + field, problems);
        }
        boolean unavailable = amount(rolling.get("maxUnavailable")) != 0;
        boolean surge = amount(rolling.get("maxSurge")) != 0;
        if (unavailable && surge) {
            problems.invalid(path + ".maxSurge", rolling.get("maxSurge"),
                    "may not be set when maxUnavailable is non-zero");
        } else if (!unavailable && !surge) {
            problems.required(path + ".maxUnavailable", "cannot be 0 when maxSurge is 0");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode daemonSet, ObjectNode old, Problems problems) {
        WorkloadRules.selectorStays(daemonSet, old, problems);
        validate(daemonSet, problems);
    }

    @Override
    protected void validateStatus(ObjectNode daemonSet, ObjectNode old, Problems problems) {
        JsonNode status = daemonSet.path("status");
        WorkloadRules.countsAreNonNegative(status, problems, "currentNumberScheduled", "numberMisscheduled",
                "desiredNumberScheduled", "numberReady", "observedGeneration", "updatedNumberScheduled",
                "numberAvailable", "numberUnavailable", "collisionCount");
        WorkloadRules.collisionsGrow(status, old, problems);
    }
}
