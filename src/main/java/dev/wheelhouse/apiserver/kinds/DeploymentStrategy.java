package dev.wheelhouse.apiserver.kinds;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Problems;

/** Deployments (upstream: {@code pkg/registry/apps/deployment}). */
final class DeploymentStrategy extends Strategy {
    DeploymentStrategy() {
        super("apps", "Deployment");
    }

    /** A Deployment's annotations are copied to its ReplicaSets, so that they count as a part of its specification. */
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
    protected void validate(ObjectNode object, Problems problems) {
        WorkloadValidation.deployment(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        WorkloadValidation.deployment(object, problems);
        WorkloadValidation.selectorStays(object, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("apps/Deployment", object, old, problems);
    }
}
