package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.amount;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.atMostAll;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.intOrPercent;

/** Deployments (upstream: {@code pkg/registry/apps/deployment}). */
final class DeploymentStrategy extends Strategy {
    DeploymentStrategy() {
        super("apps", "Deployment", TableColumn.objectName(), WorkloadRules.READY,
                TableColumn.of("Up-to-date", "Number of pods with the newest template.",
                        o -> o.number("status", "updatedReplicas")),
                TableColumn.of("Available", "Number of pods that have been ready for long enough.",
                        o -> o.number("status", "availableReplicas")),
                TableColumn.age(), Containers.names("spec", "template").wide(),
                Containers.images("spec", "template").wide(),
                TableColumn.of("Selector", "Selector of the Deployment's pods.", DeploymentStrategy::selector).wide());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.DeploymentSpec", DeploymentStrategy::fillIn);
    }

    private static void fillIn(ObjectNode spec) {
        set(spec, "replicas", 1);
        ObjectNode strategy = Json.child(spec, "strategy");
        set(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = Json.child(strategy, "rollingUpdate");
            for (String bound : List.of("maxUnavailable", "maxSurge")) {
                if (Json.at(rolling, bound) == null) {
                    rolling.put(bound, "25%");
                }
            }
        }
        set(spec, "revisionHistoryLimit", 10);
        set(spec, "progressDeadlineSeconds", 600);
    }

    private static String selector(Item deployment) {
        String text = deployment.selectorText("spec", "selector");
        return text == null ? "<invalid>" : text;
    }

    /** A change of annotations makes a new generation too, because they are copied to the ReplicaSets. */
    @Override
    protected boolean changesGeneration(ObjectNode object, ObjectNode old) {
        return !Objects.equals(annotations(object), annotations(old)) || super.changesGeneration(object, old);
    }

    private static @Nullable JsonNode annotations(ObjectNode object) {
        JsonNode annotations = Json.at(object, "metadata", "annotations");
        return annotations == null || annotations.isEmpty() ? null : annotations;
    }

    @Override
    protected void updateStatus(ObjectNode object, ObjectNode old, ClusterState state) {
        Meta.copy(Meta.of(old), Meta.of(object), "labels");
    }

    @Override
    protected void validate(ObjectNode deployment, Problems problems) {
        JsonNode spec = deployment.path("spec");
        problems.nonNegative(spec, "spec", "replicas");
        WorkloadRules.selectorAndTemplate(spec, problems);
        rollout(spec.path("strategy"), problems);
        problems.nonNegative(spec, "spec", "minReadySeconds");
        problems.nonNegative(spec, "spec", "revisionHistoryLimit");
        problems.nonNegative(spec, "spec", "progressDeadlineSeconds");
        long deadline = Json.number(spec, Long.MAX_VALUE, "progressDeadlineSeconds");
        if (deadline <= Json.number(spec, 0, "minReadySeconds")) {
            problems.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
        }
    }

    private static void rollout(JsonNode strategy, Problems problems) {
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        switch (Json.text(strategy, "type")) {
            case "Recreate" -> {
                if (rolling != null) {
                    problems.forbidden("spec.strategy.rollingUpdate",
                            "may not be specified when strategy `type` is 'Recreate'");
                }
            }
            case "RollingUpdate" -> {
                if (rolling == null) {
                    problems.required("spec.strategy.rollingUpdate", "this should be defaulted and never be nil");
                    return;
                }
                String path = "spec.strategy.rollingUpdate";
                JsonNode unavailable = rolling.get("maxUnavailable");
                intOrPercent(unavailable, path + ".maxUnavailable", problems);
                intOrPercent(rolling.get("maxSurge"), path + ".maxSurge", problems);
                if (amount(unavailable) == 0 && amount(rolling.get("maxSurge")) == 0) {
                    problems.invalid(path + ".maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0");
                }
                atMostAll(unavailable, path + ".maxUnavailable", problems);
            }
            default -> problems.notSupported("spec.strategy", strategy, "Recreate", "RollingUpdate");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode deployment, ObjectNode old, Problems problems) {
        validate(deployment, problems);
        WorkloadRules.selectorStays(deployment, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode deployment, ObjectNode old, Problems problems) {
        JsonNode status = deployment.path("status");
        WorkloadRules.countsAreNonNegative(status, problems, "observedGeneration", "replicas", "updatedReplicas",
                "readyReplicas", "availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount");
        WorkloadRules.notMoreThanReplicas(status, problems, "updatedReplicas", "readyReplicas", "availableReplicas");
        WorkloadRules.collisionsGrow(status, old, problems);
    }
}
