package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Replica sets (upstream: {@code pkg/registry/apps/replicaset}). */
final class ReplicaSetStrategy extends Strategy {
    ReplicaSetStrategy() {
        super("apps", "ReplicaSet", WorkloadRules.replicaColumns(
                TableColumn.of("Selector", "Selector of the replicas.", o -> o.selector("spec", "selector"))));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.ReplicaSetSpec", spec -> set(spec, "replicas", 1));
    }

    @Override
    protected void validate(ObjectNode replicaSet, Problems problems) {
        JsonNode spec = replicaSet.path("spec");
        problems.nonNegative(spec, "spec", "replicas");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        WorkloadRules.selectorAndTemplate(spec, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode replicaSet, ObjectNode old, Problems problems) {
        validate(replicaSet, problems);
        WorkloadRules.selectorStays(replicaSet, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode replicaSet, ObjectNode old, Problems problems) {
        WorkloadRules.replicaStatus(replicaSet.path("status"), problems);
    }
}
