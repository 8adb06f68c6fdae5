package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Replication controllers. Their selectors are maps of labels, which are those of the template if none are given
 * (upstream: {@code pkg/registry/core/replicationcontroller}).
 */
final class ReplicationControllerStrategy extends Strategy {
    ReplicationControllerStrategy() {
        super("", "ReplicationController");
    }

    static void labelsMatch(Subject spec) {
        if (!Selectors.matches(Json.object().set("matchLabels", spec.value().path("selector")),
                Json.at(spec.value(), "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec.value(), spec.problems());
        }
    }
}
