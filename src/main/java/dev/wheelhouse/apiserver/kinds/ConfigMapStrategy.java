package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Problems;

/** Config maps, one of which in each namespace has the certificates of the server (upstream: {@code pkg/registry/core/configmap}). */
final class ConfigMapStrategy extends Strategy {
    ConfigMapStrategy() {
        super("", "ConfigMap");
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        if (old != null) {
            NamespaceContents.restore(object, state);
        }
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        NamespaceContents.refill(Meta.namespace(object), state);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ConfigValidation.configMap(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        ConfigValidation.configMapUpdate(object, old, problems);
    }
}
