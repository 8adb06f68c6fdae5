package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;

/**
 * Replication controllers. Their selectors are maps of labels, which are those of the template if none are given
 * (upstream: {@code pkg/registry/core/replicationcontroller}).
 */
final class ReplicationControllerStrategy extends Strategy {
    ReplicationControllerStrategy() {
        super("", "ReplicationController",
                Set.of(Trait.COUNTS_GENERATIONS, Trait.ORPHANS_DEPENDENTS),
                WorkloadRules.replicaColumns(
                        TableColumn.of("Selector", "Selector of the replicas.", o -> o.labels("spec", "selector"))));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.ReplicationController", ReplicationControllerStrategy::fillIn);
    }

    private static void fillIn(ObjectNode controller) {
        if (Json.at(controller, "spec", "template", "metadata", "labels") instanceof ObjectNode labels
                && !labels.isEmpty()) {
            if (isEmpty(Json.child(controller, "spec"), "selector")) {
                Json.child(controller, "spec").set("selector", labels.deepCopy());
            }
            WorkloadRules.labelAs(controller, labels);
        }
    }

    @Override
    protected void validate(ObjectNode controller, Problems problems) {
        JsonNode spec = controller.path("spec");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        JsonNode selector = spec.path("selector");
        if (selector.isEmpty()) {
            problems.required("spec.selector");
        }
        problems.nonNegative(spec, "spec", "replicas");
        if (Json.at(spec, "template") == null) {
            problems.required("spec.template");
            return;
        }
        if (!Selectors.matches(Json.object().set("matchLabels", selector),
                Json.at(spec, "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec, problems);
        }
        PodValidation.template(spec.path("template"), "spec.template", problems);
        WorkloadRules.restartsAlways(spec, "ReplicationController", problems);
    }

    @Override
    protected void validateStatus(ObjectNode controller, ObjectNode old, Problems problems) {
        WorkloadRules.replicaStatus(controller.path("status"), problems);
    }
}
