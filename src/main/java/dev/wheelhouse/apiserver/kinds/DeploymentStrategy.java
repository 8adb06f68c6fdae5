package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.kinds.WorkloadRules.amount;

/** Deployments (upstream: {@code pkg/registry/apps/deployment}). */
final class DeploymentStrategy extends Strategy {
    private static final String ROLLBACK = "deprecated.deployment.rollback.to";

    DeploymentStrategy() {
        super("apps", "Deployment", Map.of("readyOfWanted", WorkloadRules::readyOfWanted, "selector",
                DeploymentStrategy::selector));
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

    /** The annotation is a field of older versions, and causes name the field. */
    static void rollback(Subject annotations) {
        BigDecimal revision = Quantities.parse(Json.text(annotations.value(), ROLLBACK));
        if (revision != null && revision.signum() < 0) {
            annotations.problems().invalid("spec.rollback.version", revision.longValue(),
                    "must be greater than or equal to 0");
        }
    }

    static void unavailableOrSurge(Subject unavailable) {
        if (amount(unavailable.value()) == 0 && amount(unavailable.object().get("maxSurge")) == 0) {
            unavailable.problems().invalid(unavailable.path(), unavailable.value(),
                    "may not be 0 when `maxSurge` is 0");
        }
    }
}
