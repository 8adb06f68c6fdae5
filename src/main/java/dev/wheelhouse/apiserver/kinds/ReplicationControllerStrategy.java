package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.validation.Subject;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;

/**
 * Replication controllers. Their selectors are maps of labels, which are those of the template if none are given
 * (upstream: {@code pkg/registry/core/replicationcontroller}).
 */
final class ReplicationControllerStrategy extends Strategy {
    ReplicationControllerStrategy() {
        super("", "ReplicationController");
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
    protected void addChecks(Map<String, Check> checks) {
        checks.put("labelsMatch", ReplicationControllerStrategy::match);
        checks.put("selectorAndTemplate", WorkloadRules::selectorAndTemplate);
        checks.put("selectorStays", WorkloadRules::selectorStays);
        checks.put("intOrPercent", WorkloadRules::intOrPercent);
        checks.put("atMostAll", WorkloadRules::atMostAll);
    }

    private static void match(Subject spec) {
        if (!Selectors.matches(Json.object().set("matchLabels", spec.value().path("selector")),
                Json.at(spec.value(), "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec.value(), spec.problems());
        }
    }
}
