package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.amount;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.atMostAll;
import static dev.wheelhouse.apiserver.kinds.WorkloadRules.intOrPercent;

/** Stateful sets, whose claim templates are volumes of their pods (upstream: {@code pkg/registry/apps/statefulset}). */
final class StatefulSetStrategy extends Strategy {
    private static final List<String> MUTABLE = List.of("replicas", "template", "updateStrategy", "minReadySeconds",
            "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy");

    StatefulSetStrategy() {
        super("apps", "StatefulSet", Column.objectName(), WorkloadRules.READY, Column.age(),
                Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide());
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.dnsLabel(name);
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.StatefulSetSpec", StatefulSetStrategy::fillIn);
    }

    private static void fillIn(ObjectNode spec) {
        set(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = Json.child(spec, "updateStrategy");
        if (Json.text(strategy, "type").isEmpty()) {
            strategy.put("type", "RollingUpdate");
            Json.child(strategy, "rollingUpdate");
        }
        if (Json.text(strategy, "type").equals("RollingUpdate")
                && strategy.get("rollingUpdate") instanceof ObjectNode r) {
            set(r, "partition", 0);
        }
        ObjectNode retention = Json.child(spec, "persistentVolumeClaimRetentionPolicy");
        set(retention, "whenDeleted", "Retain");
        set(retention, "whenScaled", "Retain");
        set(spec, "replicas", 1);
        set(spec, "revisionHistoryLimit", 10);
        if (spec.get("volumeClaimTemplates") instanceof ArrayNode claims) {
            for (JsonNode claim : claims) {
                set((ObjectNode) claim, "apiVersion", "v1");
                set((ObjectNode) claim, "kind", "PersistentVolumeClaim");
            }
        }
    }

    @Override
    protected void validate(ObjectNode statefulSet, Problems problems) {
        JsonNode spec = statefulSet.path("spec");
        String management = Json.text(spec, "podManagementPolicy");
        if (management.isEmpty()) {
            problems.required("spec.podManagementPolicy");
        } else if (!management.equals("OrderedReady") && !management.equals("Parallel")) {
            problems.invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
        }
        rollout(spec.path("updateStrategy"), problems);
        for (String field : List.of("whenDeleted", "whenScaled")) {
            String policy = Json.text(spec, "persistentVolumeClaimRetentionPolicy", field);
            if (!policy.equals("Retain") && !policy.equals("Delete")) {
                problems.notSupported("spec.persistentVolumeClaimRetentionPolicy." + field, policy, "Retain", "Delete");
            }
        }
        problems.nonNegative(spec, "spec", "replicas");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        problems.nonNegative(spec.path("ordinals"), "spec.ordinals", "start");
        JsonNode selector = Json.at(spec, "selector");
        if (!WorkloadRules.selector(selector, "statefulset", "", problems)) {
            return;
        }
        if (!Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec, problems);
        }
        PodValidation.template(withClaimVolumes(spec), "spec.template", problems);
        WorkloadRules.restartsAlways(spec, "StatefulSet", problems);
    }

    private static void rollout(JsonNode strategy, Problems problems) {
        String path = "spec.updateStrategy";
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        switch (Json.text(strategy, "type")) {
            case "" -> problems.required(path);
            case "OnDelete" -> {
                if (rolling != null) {
                    problems.invalid(path + ".rollingUpdate", rolling,
                            "only allowed for updateStrategy 'RollingUpdate'");
                }
            }
            case "RollingUpdate" -> {
                if (rolling != null) {
                    problems.nonNegative(rolling, path + ".rollingUpdate", "partition");
                    JsonNode unavailable = rolling.get("maxUnavailable");
                    intOrPercent(unavailable, path + ".rollingUpdate.maxUnavailable", problems);
                    if (unavailable != null && amount(unavailable) == 0) {
                        problems.invalid(path + ".rollingUpdate.maxUnavailable", unavailable, "cannot be 0");
                    }
                    atMostAll(unavailable, path + ".rollingUpdate.maxUnavailable", problems);
                }
            }
            default -> problems.invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }

    /** The pod template with a volume for each claim template, because containers may mount those. */
    private static JsonNode withClaimVolumes(JsonNode spec) {
        if (spec.path("volumeClaimTemplates").isEmpty() || !(spec.path("template") instanceof ObjectNode template)) {
            return spec.path("template");
        }
        ObjectNode result = template.deepCopy();
        ObjectNode podSpec = Json.child(result, "spec");
        ArrayNode volumes = podSpec.get("volumes") instanceof ArrayNode present ? present : podSpec.putArray("volumes");
        for (JsonNode claim : spec.path("volumeClaimTemplates")) {
            String name = Json.text(claim, "metadata", "name");
            volumes.removeIf(volume -> Json.text(volume, "name").equals(name));
            volumes.addObject().put("name", name).putObject("persistentVolumeClaim").put("claimName", name);
        }
        return result;
    }

    @Override
    protected void validateUpdate(ObjectNode statefulSet, ObjectNode old, Problems problems) {
        validate(statefulSet, problems);
        ObjectNode spec = ((ObjectNode) statefulSet.path("spec")).deepCopy();
        ObjectNode before = ((ObjectNode) old.path("spec")).deepCopy();
        spec.remove(MUTABLE);
        before.remove(MUTABLE);
        if (!spec.equals(before)) {
            problems.forbidden("spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals',"
                    + " 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy'"
                    + " and 'minReadySeconds' are forbidden");
        }
    }

    @Override
    protected void validateStatus(ObjectNode statefulSet, ObjectNode old, Problems problems) {
        JsonNode status = statefulSet.path("status");
        WorkloadRules.countsAreNonNegative(status, problems, "replicas", "readyReplicas", "currentReplicas",
                "updatedReplicas", "availableReplicas", "observedGeneration", "collisionCount");
        WorkloadRules.notMoreThanReplicas(status, problems, "readyReplicas", "currentReplicas", "updatedReplicas",
                "availableReplicas");
        WorkloadRules.collisionsGrow(status, old, problems);
    }
}
